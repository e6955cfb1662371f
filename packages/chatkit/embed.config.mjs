// The embed script as one file with everything in it, React included: a page loads it with one tag. What only some
// answers need is left out; the script gets it from beside itself when it is first used.
import { join } from 'node:path'
import { defineConfig } from 'vite'
import { buildParts, TARGET } from './build-parts.mjs'

/** Browsers that do not know `Symbol.dispose` must know it before the client's classes are made. */
const SYMBOLS = `for (const name of ['dispose', 'asyncDispose'])
  if (!(name in Symbol)) Object.defineProperty(Symbol, name, { value: Symbol.for('Symbol.' + name) })`

const CHUNKS = join(import.meta.dirname, 'src/lazy/parts.ts')
const FILES = join(import.meta.dirname, 'src/element/embed-parts.ts')

const partsApart = {
  name: 'parts-apart',
  enforce: 'pre',
  // Before the script itself: when that is there, all is there.
  buildStart: () => buildParts(),
  async resolveId(source, importer, options) {
    const found = source.endsWith('/parts.ts') && (await this.resolve(source, importer, { ...options, skipSelf: true }))
    return found && found.id === CHUNKS ? FILES : null
  },
}

export default defineConfig({
  root: import.meta.dirname,
  configFile: false,
  logLevel: 'warn',
  define: { 'process.env.NODE_ENV': '"production"' },
  resolve: { conditions: ['parley-source', 'module', 'browser', 'production'] },
  plugins: [partsApart],
  build: {
    outDir: 'bundle',
    // What is being served stays whole until the new file is there.
    emptyOutDir: false,
    copyPublicDir: false,
    target: TARGET,
    rollupOptions: { output: { intro: SYMBOLS }, checks: { pluginTimings: false } },
    lib: { entry: 'src/element/embed.ts', name: 'parley', formats: ['iife'], fileName: () => 'embed.js' },
  },
})
