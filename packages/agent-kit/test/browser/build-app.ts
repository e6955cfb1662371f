import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { build } from 'vite'

const root = join(import.meta.dirname, '../../../..')
const oldReact = join(root, 'test/react-18/node_modules')

/** All that a program of the origin changes. */
const ALIAS = { find: /^@blade-hq\/agent-kit\/(.+)$/, replacement: '@parley/agent-kit/$1' }
const REACT_18 = ['react', 'react-dom'].map((name) => ({
  find: new RegExp(`^${name}(/.*)?$`),
  replacement: `${join(oldReact, name)}$1`,
}))

/** Builds the program of `page/` into a folder, for development: React then mounts twice and warns of what is wrong. */
export async function buildApp(outDir: string, version: '18' | '19'): Promise<void> {
  // vitest says "test", which is neither of the two builds that React has.
  const { NODE_ENV } = process.env
  process.env.NODE_ENV = 'development'
  try {
    await build({
      root: join(import.meta.dirname, 'page'),
      base: './',
      configFile: false,
      logLevel: 'error',
      mode: 'development',
      resolve: {
        conditions: ['parley-source', 'module', 'browser', 'development'],
        alias: [ALIAS, ...(version === '18' ? REACT_18 : [])],
      },
      plugins: [react()],
      build: {
        outDir,
        emptyOutDir: true,
        modulePreload: false,
        rolldownOptions: { input: ['index.html', 'host.html'].map((name) => join(import.meta.dirname, 'page', name)) },
      },
    })
  } finally {
    if (NODE_ENV !== undefined) process.env.NODE_ENV = NODE_ENV
  }
}
