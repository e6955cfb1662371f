/** A real Chromium on a page that Vite built, served on loopback under a strict policy. */
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import react from '@vitejs/plugin-react'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { build } from 'vite'
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
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; frame-src https: 'self'; connect-src 'self'"
const ARGS = [
  '--no-sandbox',
  '--headless',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

export type Opened = { page: Page; foreign: string[] } & AsyncDisposable
export type TestBrowser = {
  url: string
  open: (query: string, options?: BrowserContextOptions & { hasPolicy?: boolean }) => Promise<Opened>
} & AsyncDisposable

export async function openBrowser(): Promise<TestBrowser> {
  const folder = await mkdtemp(join(tmpdir(), 'chatkit-page-'))
  await buildPage(join(import.meta.dirname, 'page'), folder)
  const server = await serve(folder)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const browser = await launchChromium()
  return {
    url,
    async open(query, { hasPolicy = true, ...options } = {}) {
      const context = await browser.newContext({ viewport: { width: 1100, height: 800 }, ...options })
      const page = await context.newPage()
      const foreign: string[] = []
      // Nothing leaves the machine; what tries to is written down.
      await context.route(
        (address) => address.origin !== url && address.protocol.startsWith('http'),
        (route) => {
          foreign.push(route.request().url())
          return route.abort()
        },
      )
      await page.goto(`${url}/${hasPolicy ? '' : 'open/'}index.html?${query}`)
      await page.waitForFunction(() => 'test' in window, undefined, { timeout: 10_000 })
      page.setDefaultTimeout(10_000)
      return { page, foreign, [Symbol.asyncDispose]: () => context.close() }
    },
    async [Symbol.asyncDispose]() {
      await browser.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function buildPage(root: string, outDir: string): Promise<void> {
  // vitest says "test"; the plugin would then call functions that React's production build does not have.
  const { NODE_ENV } = process.env
  process.env.NODE_ENV = 'production'
  try {
    await build({
      root,
      base: './',
      configFile: false,
      logLevel: 'error',
      mode: 'production',
      resolve: { conditions: ['parley-source', 'module', 'browser', 'production'] },
      plugins: [react()],
      build: { outDir, emptyOutDir: true, modulePreload: false },
    })
  } finally {
    if (NODE_ENV !== undefined) process.env.NODE_ENV = NODE_ENV
  }
}

async function serve(folder: string) {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = new URL(request.url ?? '/', 'http://x').pathname
    const isOpen = path.startsWith('/open/')
    const file = join(folder, isOpen ? path.slice(5) : path)
    const body = file.startsWith(folder) ? await readFile(file).catch(() => undefined) : undefined
    if (!body) {
      response.writeHead(404).end()
      return
    }
    const policy = isOpen ? {} : { 'content-security-policy': POLICY }
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream', ...policy }).end(body)
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

export async function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: await findChromium(), args: ARGS })
}

async function findChromium(): Promise<string> {
  const given = process.env.CHROMIUM_PATH
  if (given) return given
  if (existsSync('/usr/bin/chromium')) return '/usr/bin/chromium'
  const { default: packed } = await import('@sparticuz/chromium')
  return packed.executablePath()
}
