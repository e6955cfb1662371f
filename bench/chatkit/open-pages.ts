import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import react from '@vitejs/plugin-react'
import type { CDPSession, Page } from 'playwright-core'
import { build } from 'vite'
import { launchChromium } from '../../packages/chatkit/test/browser/open-browser.ts'
import { type ContenderName, PAGES } from './contenders.ts'

export type Opened = { page: Page; devTools: CDPSession } & AsyncDisposable
export type Pages = { version: string; open: (name: ContenderName) => Promise<Opened> } & AsyncDisposable

const TYPES: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css' }

/** A production build of every contender's page, and a Chromium to open them in, each time as if for the first time. */
export async function openPages(names: readonly ContenderName[]): Promise<Pages> {
  const folder = await mkdtemp(join(tmpdir(), 'chatkit-bench-'))
  for (const name of names) await buildPage(PAGES[name], join(folder, idOf(name)))
  const server = createServer((request, response) => void answer(folder, request.url ?? '/', response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const browser = await launchChromium()
  return {
    version: browser.version(),
    async open(name) {
      const context = await browser.newContext({ viewport: { width: 1100, height: 800 } })
      // Whatever a rival wants from elsewhere is not measured here.
      await context.route(
        (address) => address.origin !== url,
        (route) => route.abort(),
      )
      const page = await context.newPage()
      const failures: string[] = []
      page.on('pageerror', ({ message }) => failures.push(message))
      await page.goto(`${url}/${idOf(name)}/`)
      await page
        .waitForFunction(() => 'bench' in window, undefined, { timeout: 20_000 })
        .catch((cause: unknown) => {
          throw new Error(`The page of ${name} does not start: ${failures.join('; ')}`, { cause })
        })
      const devTools = await context.newCDPSession(page)
      // Processor time of the page's main thread: what else the machine does is not in it.
      await devTools.send('Performance.enable', { timeDomain: 'threadTicks' })
      return { page, devTools, [Symbol.asyncDispose]: () => context.close() }
    },
    async [Symbol.asyncDispose]() {
      await browser.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const idOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]+/g, '-')

async function buildPage(entry: string, outDir: string): Promise<void> {
  await build({
    root: import.meta.dirname,
    base: './',
    configFile: false,
    logLevel: 'error',
    mode: 'production',
    resolve: {
      conditions: ['parley-source', 'module', 'browser', 'production'],
      // One React for all of them.
      dedupe: ['react', 'react-dom'],
    },
    plugins: [react()],
    build: {
      outDir,
      modulePreload: false,
      cssCodeSplit: false,
      chunkSizeWarningLimit: 10_000,
      rollupOptions: { input: entry, output: { entryFileNames: 'page.js', assetFileNames: 'page[extname]' } },
    },
  })
}

async function answer(folder: string, address: string, response: ServerResponse): Promise<void> {
  const path = new URL(address, 'http://x').pathname
  const file = join(folder, path)
  const isPage = path.endsWith('/')
  const body = isPage ? HTML : file.startsWith(folder) ? await readFile(file).catch(() => undefined) : undefined
  if (!body) response.writeHead(404).end()
  else
    response
      .writeHead(200, { 'content-type': isPage ? 'text/html; charset=utf-8' : (TYPES[extname(file)] ?? '') })
      .end(body)
}

const HTML = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Bench</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="./page.css" />
  </head>
  <body>
    <div id="place"></div>
    <script type="module" src="./page.js"></script>
  </body>
</html>`
