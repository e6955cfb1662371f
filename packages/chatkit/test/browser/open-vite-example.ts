/** An example that Vite serves, as its README says, with a Parley server and the demo model behind it, in Chromium. */
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { startNode } from '../../../testkit/src/index.ts'
import { launchChromium, PATIENCE_MS } from './open-browser.ts'
import { keepInside, problemsOf } from './watch-page.ts'

const KEY = 'sk-blade-v2-for-the-tests-of-the-examples'
const root = join(import.meta.dirname, '../../../..')
const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js')

export type ViteExample = {
  open: (
    options?: BrowserContextOptions,
  ) => Promise<{ page: Page; problems: string[]; foreign: string[] } & AsyncDisposable>
} & AsyncDisposable

/** Built and previewed: what a visitor of the site gets. */
export async function openViteExample(name: string, { hasServer = true } = {}): Promise<ViteExample> {
  const parts = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'parley-example-'))
  parts.defer(() => rm(folder, { recursive: true, force: true }))
  const example = join(root, 'examples', name)
  const dist = ['--outDir', join(folder, 'dist')]
  const env: Record<string, string> = { NODE_ENV: 'production', NO_COLOR: '1' }
  await startNode(vite, ['build', example, ...dist, '--logLevel', 'error'], { env }).exited
  if (hasServer) {
    const server = parts.use(
      startNode(join(root, 'packages/server/bundle/main.js'), [], {
        env: {
          PARLEY_DATA_DIR: join(folder, 'data'),
          PARLEY_PORT: '0',
          PARLEY_OWNER_KEY: KEY,
        },
      }),
    )
    env['PARLEY_URL'] = (await server.line(/listening on (http:\/\/[\d.:]+)/))[1]!
    env['PARLEY_KEY'] = KEY
  }
  const site = parts.use(startNode(vite, ['preview', example, ...dist, '--port', '0', '--strictPort'], { env }))
  const url = (await site.line(/(http:\/\/127\.0\.0\.1:\d+)/))[1]!
  const browser = await launchChromium()
  parts.defer(() => browser.close())
  return {
    async open(options) {
      const context = await browser.newContext({ viewport: { width: 1100, height: 800 }, ...options })
      const page = await context.newPage()
      page.setDefaultTimeout(PATIENCE_MS)
      const problems = problemsOf(page)
      const foreign = await keepInside(context, [url])
      await page.goto(url)
      return { page, problems, foreign, [Symbol.asyncDispose]: () => context.close() }
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}
