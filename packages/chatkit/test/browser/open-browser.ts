/** A real Chromium on a page that Vite built, served on loopback under a strict policy. */
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { buildPage } from './build-page.ts'
import { keepInside } from './watch-page.ts'
import type { TestPage } from './page/main.ts'

declare global {
  interface Window {
    test: TestPage
    __pwned?: number
  }
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
}
/** What hosts with a strict policy send; the kit must live with it. */
const policy = (servers: readonly string[]) =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; frame-src https: 'self'; connect-src 'self' ${servers.join(' ')}`
const ARGS = [
  '--no-sandbox',
  '--headless',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  // Pages of made-up hosts speak to servers on this machine here.
  '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests',
]

/** `foreign`: addresses on other origins that the page asked for, in vain. */
export type Opened = { page: Page; foreign: string[] } & AsyncDisposable
export type TestBrowser = {
  url: string
  open: (query: string, options?: BrowserContextOptions & { hasPolicy?: boolean }) => Promise<Opened>
} & AsyncDisposable

export type BrowserOptions = {
  /** Which page; a folder beside this file. */
  page?: string
  /** Folder whose React is used in place of ours. */
  react?: string
  /** Origins that the page may talk to. */
  servers?: string[]
}

export async function openBrowser({
  page: name = 'page',
  react,
  servers = [],
}: BrowserOptions = {}): Promise<TestBrowser> {
  const server = await serve(await buildPage(name, react), servers)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const browser = await launchChromium()
  return {
    url,
    async open(query, { hasPolicy = true, ...options } = {}) {
      const context = await browser.newContext({ viewport: { width: 1100, height: 800 }, ...options })
      const page = await context.newPage()
      const foreign = await keepInside(context, [url, ...servers])
      await page.goto(`${url}/${hasPolicy ? '' : 'open/'}index.html?${query}`)
      await page.waitForFunction(() => 'test' in window, undefined, { timeout: PATIENCE_MS })
      page.setDefaultTimeout(PATIENCE_MS)
      let isLookedAt = false
      return {
        page,
        get foreign() {
          isLookedAt = true
          return foreign
        },
        async [Symbol.asyncDispose]() {
          await context.close()
          // [KB9] A test that expects such requests looks at them itself.
          if (foreign.length > 0 && !isLookedAt) throw new Error(`Requests left the page: ${foreign.join(' ')}`)
        },
      }
    },
    async [Symbol.asyncDispose]() {
      await browser.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function serve(folder: string, servers: string[]) {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(request.url ?? '/', 'http://x').pathname
    const isOpen = path.startsWith('/open/')
    const file = join(folder, isOpen ? path.slice(5) : path)
    const body = file.startsWith(folder) ? await readFile(file).catch(() => undefined) : undefined
    if (!body) {
      response.writeHead(404).end()
      return
    }
    const headers = isOpen ? {} : { 'content-security-policy': policy(servers) }
    response
      .writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream', ...headers })
      .end(body)
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

/** Everything is drawn and measured: what has the focus now keeps it. */
export async function settled(page: Page): Promise<void> {
  await page.locator('.ck-row, .ck-suggestion').first().waitFor()
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
}

/** How long a page may take over anything before the test gives up: nobody waits that long but on a busy machine. */
export const PATIENCE_MS = 45_000

export async function launchChromium(): Promise<Browser> {
  // A locale that is set to nothing kills every page that formats a date; one that the system lacks loses file names.
  const env = { ...process.env, LC_ALL: 'C.UTF-8', LC_MESSAGES: 'C.UTF-8' } as Record<string, string>
  return chromium.launch({ executablePath: await findChromium(), args: ARGS, env })
}

async function findChromium(): Promise<string> {
  const given = process.env.CHROMIUM_PATH
  if (given) return given
  const { default: packed } = await import('@sparticuz/chromium')
  return packed.executablePath()
}
