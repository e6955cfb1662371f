/** An existing program, built with nothing but a package alias, on a real server and in a real Chromium. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { launchChromium, PATIENCE_MS } from '../../../chatkit/test/browser/open-browser.ts'
import { type FakeReply, type FakeRequest, startFakeModel, startNode } from '../../../testkit/src/index.ts'
import { buildApp } from './build-app.ts'

export const KEY = 'sk-blade-v2-for-the-tests-of-agent-kit'
const root = join(import.meta.dirname, '../../../..')
/** What hosts with a strict policy send; the kit must live with it. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; frame-src *; connect-src http://127.0.0.1:* ws://127.0.0.1:*"
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
}

export type OpenPage = { page: Page; problems: string[] } & AsyncDisposable
export type App = {
  /** Origin of the program, and two others that serve the same files. */
  url: string
  hostUrl: string
  strangerUrl: string
  /** The server itself. */
  parley: string
  /** Address of the program with these settings. */
  address: (query?: string) => string
  open: (query?: string, options?: BrowserContextOptions) => Promise<OpenPage>
  openAddress: (address: string, options?: BrowserContextOptions) => Promise<OpenPage>
  /** What the scripted model was told last. */
  lastQuestion: () => string
} & AsyncDisposable

/** The scripted model, beside the demo: it calls the page's tools. */
function reply({ question, results }: FakeRequest): FakeReply {
  if (results.length > 0) return { text: 'Look at the page.' }
  if (question.includes('highlight')) return { calls: [{ name: 'highlight_cities', arguments: {} }] }
  if (question.includes('preview')) return { calls: [{ name: 'preview_report', arguments: {} }] }
  if (question.includes('refuse')) return { error: { status: 400, body: { error: { message: 'No.' } } } }
  return { text: `Heard: ${question}` }
}

export async function openApp(react: '18' | '19' = '19', first: 'demo' | 'scripted' = 'demo'): Promise<App> {
  const parts = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'agent-kit-'))
  parts.defer(() => rm(folder, { recursive: true, force: true }))
  await buildApp(join(folder, 'page'), react)
  const model = parts.use(await startFakeModel(reply))
  const sites = await Promise.all([1, 2, 3].map(() => serve(join(folder, 'page'))))
  for (const site of sites) parts.defer(() => close(site))
  const [url, hostUrl, strangerUrl] = sites.map(originOf) as [string, string, string]
  await configure(folder, model.url, first)
  const server = parts.use(
    startNode(join(root, 'packages/server/bundle/main.js'), [], {
      env: {
        PARLEY_DATA_DIR: join(folder, 'data'),
        PARLEY_PORT: '0',
        PARLEY_OWNER_KEY: KEY,
        PARLEY_ALLOWED_ORIGINS: url,
        PARLEY_LANGUAGE: 'en',
      },
      cwd: folder,
    }),
  )
  const parley = (await server.line(/listening on (http:\/\/[\d.:]+)/))[1]!
  const browser = await launchChromium()
  parts.defer(() => browser.close())

  const openAddress = async (address: string, options: BrowserContextOptions = {}): Promise<OpenPage> => {
    const context = await browser.newContext({ viewport: { width: 1000, height: 800 }, ...options })
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    await page.goto(address)
    return { page, problems, [Symbol.asyncDispose]: () => context.close() }
  }
  const address = (query = '') => `${url}/index.html?${new URLSearchParams({ server: parley, token: KEY })}&${query}`
  return {
    url,
    hostUrl,
    strangerUrl,
    parley,
    address,
    openAddress,
    open: (query, options) => openAddress(address(query), options),
    // The server also asks for messages to go on with, after each answer.
    lastQuestion: () => model.requests.findLast(({ question }) => !question.startsWith('Write up to'))?.question ?? '',
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

/** A demo model and a scripted one, tools for the page, and a skill. */
async function configure(folder: string, modelUrl: string, first: 'demo' | 'scripted'): Promise<void> {
  const models = [
    { id: 'demo', provider: 'demo', name: 'Demo' },
    { id: 'scripted', provider: 'openai-compatible', name: 'Scripted', url: modelUrl, model: 'fake-model' },
  ]
  await mkdir(join(folder, 'skills/weather-report'), { recursive: true })
  await writeFile(
    join(folder, 'skills/weather-report/SKILL.md'),
    '---\nname: weather-report\ndisplay_name: Weather report\ndescription: Says how the weather is\n---\nLook outside.\n',
  )
  await writeFile(
    join(folder, 'parley.config.js'),
    `const tool = (name, result) => ({ name, description: name, schema: { type: 'object', properties: {} }, invoke: async () => result })
export default {
  skillDirs: ['skills'],
  models: ${JSON.stringify(first === 'demo' ? models : models.toReversed())},
  langchainTools: [
    tool('highlight_cities', JSON.stringify({ ok: true, _meta: { bridge: { action: 'map.highlight', payload: { cityIds: ['hangzhou', 'ningbo'] } } } })),
    tool('preview_report', JSON.stringify({ ok: true, _meta: { ui: { target: 'preview', title: 'Report', height: 200, resourceHTML: '<p>Rain</p>' } } })),
  ],
}\n`,
  )
}

async function serve(folder: string): Promise<Server> {
  const server = createServer((request, response) => {
    const file = join(folder, new URL(request.url ?? '/', 'http://x').pathname)
    readFile(file).then(
      (body) => {
        const type = TYPES[extname(file)] ?? 'application/octet-stream'
        response.writeHead(200, { 'content-type': type, 'content-security-policy': POLICY }).end(body)
      },
      () => response.writeHead(404).end('Not here'),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}
