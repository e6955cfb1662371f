/** `examples/plain-html` as its README says: a Parley server with the demo model, the page's own server, and Chromium. */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { startNode } from '../../../testkit/src/index.ts'
import './embed-file.ts'
import { launchChromium, PATIENCE_MS } from './open-browser.ts'
import { keepInside, problemsOf } from './watch-page.ts'

const KEY = 'sk-blade-v2-for-the-tests-of-the-embed-script'
const root = join(import.meta.dirname, '../../../..')

/** What a test changes in a file of the example; every page that is opened has its own edition. */
type Edit = (text: string, path: string) => string
export type OpenPage = { page: Page; base: string; problems: string[]; foreign: string[] } & AsyncDisposable
export type Example = {
  url: string
  parley: string
  open: (path: string, options?: BrowserContextOptions & { edit?: Edit }) => Promise<OpenPage>
} & AsyncDisposable

export async function openExample(): Promise<Example> {
  const folder = await mkdtemp(join(tmpdir(), 'chatkit-example-'))
  const front = createServer((request, response) => {
    const [, edition, path = '/'] = /^\/(\d+)(\/.*)$/.exec(request.url ?? '') ?? []
    if (path === '/outer') return response.end('<iframe src="index.html" width="900" height="700"></iframe>')
    void forward(siteUrl + path, request).then(({ status, headers, text }) =>
      response.writeHead(status, headers).end(editions[Number(edition)]?.(text, path) ?? text),
    )
  }).listen(0, '127.0.0.1')
  await once(front, 'listening')
  const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`
  const editions: Edit[] = []
  const server = startNode(join(root, 'packages/server/bundle/main.js'), [], {
    env: {
      PARLEY_DATA_DIR: folder,
      PARLEY_PORT: '0',
      PARLEY_OWNER_KEY: KEY,
      PARLEY_ALLOWED_ORIGINS: url,
    },
  })
  const parley = (await server.line(/listening on (http:\/\/[\d.:]+)/))[1]!
  const site = startNode(join(root, 'examples/plain-html/serve.mjs'), [], {
    env: {
      PARLEY_URL: parley,
      PARLEY_KEY: KEY,
      PORT: '0',
    },
  })
  const siteUrl = (await site.line(/Open (http:\S+)/))[1]!
  const browser = await launchChromium()
  return {
    url,
    parley,
    async open(path, { edit = (text: string) => text, ...options } = {}) {
      const context = await browser.newContext({ viewport: { width: 1100, height: 800 }, ...options })
      const page = await context.newPage()
      page.setDefaultTimeout(PATIENCE_MS)
      const problems = problemsOf(page)
      const foreign = await keepInside(context, [url, parley])
      const base = `${url}/${editions.push(edit) - 1}`
      await page.goto(base + path)
      return { page, base, problems, foreign, [Symbol.asyncDispose]: () => context.close() }
    },
    async [Symbol.asyncDispose]() {
      await browser.close()
      front.closeAllConnections()
      front.close()
      await site[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function forward(address: string, { method = 'GET', headers: { cookie = '' } }: IncomingMessage) {
  const response = await fetch(address, { method, headers: { cookie } })
  const names = ['content-type', 'content-security-policy', 'set-cookie'].filter((name) => response.headers.has(name))
  const headers = Object.fromEntries(names.map((name) => [name, response.headers.get(name)!]))
  return { status: response.status, headers, text: await response.text() }
}
