/** Somebody's site with the script tag on it, a real Parley server on another origin, and Chromium. */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { withDefaults } from '../../../server/src/config/options.ts'
import { startServer } from '../../../server/src/server.ts'
import { type FakeReply, type FakeRequest, startFakeModel } from '../../../testkit/src/index.ts'
import './embed-file.ts'
import { launchChromium, PATIENCE_MS } from './open-browser.ts'
import { keepInside } from './watch-page.ts'

/** The same pages on an origin that the server does not know, and that is not this machine's: there is no such host. */
export const STRANGER = 'http://shop.example'
export const KEY = 'sk-blade-v2-for-the-tests-of-a-site'

/** Who is signed in on the site is in a cookie; what the site's token route answers to whom, the test says. */
export type TokenRoute = (visitor: string, request: IncomingMessage) => { status?: number; body: unknown }

export type Site = {
  url: string
  parley: string
  tokens: { route: TokenRoute; asked: string[] }
  /** A browser of its own for one visitor. */
  visit: (visitor: string, options?: BrowserContextOptions) => Promise<Visit>
  api: (path: string, init?: RequestInit) => Promise<Response>
} & AsyncDisposable

export type Visit = {
  context: BrowserContext
  foreign: string[]
  /** Opens a page of the site; the tag's attributes are its query. */
  open: (path: string, data?: Record<string, string>, origin?: string) => Promise<OpenedPage>
} & AsyncDisposable

export type OpenedPage = { page: Page; warnings: string[]; errors: string[] }

/** `slow` is answered word by word, `refuse` by the provider with a sentence. */
function reply({ question, results }: FakeRequest): FakeReply {
  if (results.length > 0) return { text: `Done: ${results.join(' | ')}` }
  if (question.startsWith('{')) return { calls: [JSON.parse(question) as { name: string; arguments: unknown }] }
  if (question.startsWith('refuse')) return { error: { status: 400, body: { error: { message: 'No credit left.' } } } }
  if (!question.startsWith('slow')) return { text: `You said **${question}**.` }
  return { text: Array.from({ length: 100 }, (_, i) => `word${i}`).join(' '), chunkDelayMs: 40 }
}

export async function openSite(): Promise<Site> {
  const parts = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'chatkit-site-'))
  parts.defer(() => rm(folder, { recursive: true, force: true }))
  const model = parts.use(await startFakeModel(reply))
  const tokens: Site['tokens'] = { route: () => ({ body: { token: KEY } }), asked: [] }
  let parley = ''
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://site')
    if (pathname !== '/chat-token')
      return response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end(pageOf(pathname, searchParams, parley))
    const visitor = /visitor=(\w+)/.exec(request.headers.cookie ?? '')?.[1] ?? ''
    tokens.asked.push(visitor)
    const { status = 200, body } = tokens.route(visitor, request)
    const isText = typeof body === 'string'
    return response
      .writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json' })
      .end(isText ? body : JSON.stringify(body))
  }
  const url = await listen(answer, parts)
  const server = await startServer(
    withDefaults({
      ...{ port: 0, dataDir: folder, ownerKey: KEY, language: 'en', drainMs: 200 },
      ...{ modelUrl: model.url, model: 'fake-model', allowedOrigins: [url] },
      policy: { rules: [{ tool: 'Write', decision: 'ask' }], headless: 'fail', confirmationMinutes: 15 },
    }),
    pino({ level: 'silent' }),
  )
  parts.defer(() => server[Symbol.asyncDispose]())
  parley = server.url
  const browser = await launchChromium()
  parts.defer(() => browser.close())
  return {
    url,
    parley,
    tokens,
    async visit(visitor, options = {}) {
      const context = await browser.newContext({ viewport: { width: 1100, height: 800 }, ...options })
      await context.addCookies([{ name: 'visitor', value: visitor, url }])
      const foreign = await keepInside(context, [url, parley])
      await context.route(`${STRANGER}/**`, async (route) =>
        route.fulfill({ response: await route.fetch({ url: route.request().url().replace(STRANGER, url) }) }),
      )
      return {
        context,
        foreign,
        async open(path, data = { 'token-url': '/chat-token' }, origin = url) {
          const page = await context.newPage()
          page.setDefaultTimeout(PATIENCE_MS)
          const warnings: string[] = []
          const errors: string[] = []
          page.on('console', (message) => {
            if (message.type() === 'warning') warnings.push(message.text())
          })
          page.on('pageerror', (error) => errors.push(String(error)))
          await page.goto(`${origin}${path}?${new URLSearchParams(data)}`)
          return { page, warnings, errors }
        },
        [Symbol.asyncDispose]: () => context.close(),
      }
    },
    api: (path, init = {}) =>
      fetch(server.url + path, {
        ...init,
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      }),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

/** A page with nothing on it but a link to another one, and the tag as the query says. */
function pageOf(path: string, data: URLSearchParams, parley: string): string {
  const quote = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  const attributes = [...data]
    .filter(([name]) => name !== 'lang')
    .map(([name, value]) => `data-${name}="${quote(value)}"`)
  const next = path === '/' ? '/other' : '/'
  return `<!doctype html><html lang="${quote(data.get('lang') ?? 'en')}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"><title>${quote(path)}</title>
<script defer src="${parley}/embed.js" ${attributes.join(' ')}></script></head>
<body><main><h1>${quote(path)}</h1><p>Good bicycles since 1987.</p><a id="next" href="${next}?${quote(data.toString())}">Next page</a></main></body></html>`
}

async function listen(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
  parts: AsyncDisposableStack,
): Promise<string> {
  const server: Server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  parts.defer(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
