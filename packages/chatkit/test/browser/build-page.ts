/** A page of the tests as Vite builds it for production. Built once for all the tests of a state of the sources. */
import { createHash } from 'node:crypto'
import { existsSync, globSync, statSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { build } from 'vite'

const packages = join(import.meta.dirname, '../../..')
const cache = join(tmpdir(), 'parley-test-pages')
/** What other sources made is not needed again. */
const KEPT_MS = 60 * 60_000

/** `name` is a folder beside this file; `reactFolder` has the React to use in place of ours. */
export async function buildPage(name: string, reactFolder?: string): Promise<string> {
  const folder = join(cache, `${name}-${fingerprint([name, reactFolder ?? ''])}`)
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  await removeOld()
  const fresh = await mkdtemp(join(cache, 'building-'))
  await buildInto(fresh, name, reactFolder)
  // Another worker may have been faster; its page is the same.
  await rename(fresh, folder).catch(() => rm(fresh, { recursive: true, force: true }))
  return folder
}

function fingerprint(parts: string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts))
  const files = globSync(['{chatkit,client,protocol}/{src,bundle}/**/*', 'chatkit/test/browser/*page/**'], {
    cwd: packages,
  })
  for (const file of files.toSorted()) {
    const { mtimeMs, size } = statSync(join(packages, file))
    hash.update(`${file} ${mtimeMs} ${size}\n`)
  }
  return hash.digest('hex').slice(0, 16)
}

async function removeOld(): Promise<void> {
  for (const name of await readdir(cache)) {
    const found = await stat(join(cache, name)).catch(() => undefined)
    if (found && Date.now() - found.mtimeMs > KEPT_MS) await rm(join(cache, name), { recursive: true, force: true })
  }
}

async function buildInto(outDir: string, name: string, reactFolder: string | undefined): Promise<void> {
  // vitest says "test"; the plugin would then call functions that React's production build does not have.
  const { NODE_ENV } = process.env
  process.env.NODE_ENV = 'production'
  try {
    await build({
      root: join(import.meta.dirname, name),
      base: './',
      configFile: false,
      logLevel: 'error',
      mode: 'production',
      resolve: {
        conditions: ['parley-source', 'module', 'browser', 'production'],
        alias: reactFolder
          ? ['react', 'react-dom'].map((find) => ({ find, replacement: join(reactFolder, find) }))
          : [],
      },
      plugins: [react()],
      build: { outDir, emptyOutDir: true, modulePreload: false },
    })
  } finally {
    if (NODE_ENV !== undefined) process.env.NODE_ENV = NODE_ENV
  }
}
