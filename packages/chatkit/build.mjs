// The embed script as one file with everything in it, React included: a page loads it with one tag. What only some
// answers need is left out; the script gets it from beside itself when it is first used.
import { join } from 'node:path'
import { buildParts } from './build-parts.mjs'
import { buildForPages } from './build-for-pages.mjs'

/** Browsers that do not know `Symbol.dispose` must know it before the client's classes are made. */
const SYMBOLS = `for (const name of ['dispose', 'asyncDispose'])
  if (!(name in Symbol)) Object.defineProperty(Symbol, name, { value: Symbol.for('Symbol.' + name) })`

const CHUNKS = join(import.meta.dirname, 'src/lazy/parts.ts')
const FILES = join(import.meta.dirname, 'src/element/embed-parts.ts')

const partsApart = {
  name: 'parts-apart',
  async resolveId(source, importer, options) {
    const found = source.endsWith('/parts.ts') && (await this.resolve(source, importer, { ...options, skipSelf: true }))
    return found && found.id === CHUNKS ? FILES : null
  },
}

// Before the script itself: when that is there, all is there.
await buildParts()
await buildForPages({
  name: 'embed',
  entry: 'src/element/embed.ts',
  plugins: [partsApart],
  output: { format: 'iife', name: 'parley', intro: SYMBOLS },
})
