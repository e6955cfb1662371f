// The embed script as one file with everything in it, React included: a page loads it with one tag.
import { defineConfig } from 'vite'

/** Browsers that do not know `Symbol.dispose` must know it before the client's classes are made. */
const SYMBOLS = `for (const name of ['dispose', 'asyncDispose'])
  if (!(name in Symbol)) Object.defineProperty(Symbol, name, { value: Symbol.for('Symbol.' + name) })`

export default defineConfig({
  root: import.meta.dirname,
  configFile: false,
  logLevel: 'warn',
  define: { 'process.env.NODE_ENV': '"production"' },
  resolve: { conditions: ['parley-source', 'module', 'browser', 'production'] },
  build: {
    outDir: 'bundle',
    // What is being served stays whole until the new file is there.
    emptyOutDir: false,
    copyPublicDir: false,
    // As old as the constructed style sheets and dialogs that the element needs.
    target: ['chrome111', 'safari16.4', 'firefox115'],
    rollupOptions: { output: { intro: SYMBOLS } },
    lib: { entry: 'src/element/embed.ts', name: 'parley', formats: ['iife'], fileName: () => 'embed.js' },
  },
})
