import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'

const source = join(import.meta.dirname, '../src')

test('the sources import nothing but the protocol and the socket library', () => {
  const strangers = globSync(`${source}/**/*.ts`)
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/from '([^'.][^']*)'/g)].map(([, name]) => name))
  expect([...new Set(strangers)].sort()).toEqual([
    '@parley/protocol',
    '@parley/protocol/rest',
    '@parley/protocol/wire',
    'socket.io-client',
  ])
})

test('the client bundles for the browser without anything of Node in it', async () => {
  const vite = await loadVite()
  const built = await vite.build({
    logLevel: 'silent',
    configFile: false,
    resolve: { conditions: ['parley-source', 'browser', 'module', 'import'] },
    build: { write: false, minify: true, lib: { entry: join(source, 'index.ts'), formats: ['es'] } },
  })
  const [{ output }] = built as [{ output: { code: string; imports: string[]; moduleIds: string[] }[] }]
  expect(output.flatMap(({ imports }) => imports)).toEqual([])
  const modules = output.flatMap(({ moduleIds }) => moduleIds)
  expect(modules.filter((id) => /__vite-browser-external|packages\/server|^node:/.test(id))).toEqual([])
})

/** vitest brings vite; it is not a dependency of this package. */
async function loadVite(): Promise<{ build(options: object): Promise<unknown> }> {
  const require = createRequire(import.meta.resolve('vitest'))
  return import(pathToFileURL(require.resolve('vite')).href) as Promise<{ build(options: object): Promise<unknown> }>
}
