/** An example started by the commands that its README gives, and nothing else; in Chromium. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { startProgram } from '../../../testkit/src/index.ts'
import { launchChromium, PATIENCE_MS } from './open-browser.ts'
import { problemsOf } from './watch-page.ts'

const KEY = 'sk-blade-v2-for-those-who-read-the-readme'
const root = join(import.meta.dirname, '../../../..')

export type FollowedReadme = {
  open: (options?: BrowserContextOptions) => Promise<{ page: Page; problems: string[] } & AsyncDisposable>
} & AsyncDisposable

/** Each line as it is written, but for the key, and for the ports: other tests run beside this one. */
export async function followReadme(name: string): Promise<FollowedReadme> {
  const parts = new AsyncDisposableStack()
  const data = await mkdtemp(join(tmpdir(), 'parley-readme-'))
  parts.defer(() => rm(data, { recursive: true, force: true }))
  const [parley, site] = [await freePort(), await freePort()]
  const env = {
    ...{ PARLEY_DATA_DIR: data, PARLEY_OWNER_KEY: KEY, PARLEY_PORT: `${parley}`, PORT: `${site}` },
    PARLEY_URL: `http://127.0.0.1:${parley}`,
    // What vitest sets is not a newcomer's.
    ...{ NODE_ENV: '', VITEST: '', NO_COLOR: '1' },
  }
  let url = ''
  for (const command of await commandsOf(name)) {
    const line = command.replace('PARLEY_KEY=…', `PARLEY_KEY=${KEY}`).replaceAll(':8030', `:${site}`)
    const program = startProgram('setsid', ['bash', '-c', line], { env, cwd: root })
    parts.use(program)
    if (line.startsWith('npm run ')) {
      expect(await program.exited, line).toBe(0)
      continue
    }
    // npm and npx have children of their own.
    parts.defer(() => void process.kill(-program.pid, 'SIGKILL'))
    url = (await program.line(/(?:listening on|Open|Local:)\s+(http:\/\/[\d.:]+)/))[1]!
  }
  const browser = await launchChromium()
  parts.defer(() => browser.close())
  return {
    async open(options) {
      const context = await browser.newContext(options)
      const page = await context.newPage()
      page.setDefaultTimeout(PATIENCE_MS)
      const problems = problemsOf(page)
      await page.goto(url)
      return { page, problems, [Symbol.asyncDispose]: () => context.close() }
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

/** The lines of the first shell block. */
async function commandsOf(name: string): Promise<string[]> {
  const text = await readFile(join(root, 'examples', name, 'README.md'), 'utf8')
  return /```sh\n([^`]+)```/.exec(text)![1]!.trim().split('\n')
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
