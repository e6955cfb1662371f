import { join } from 'node:path'
import { build } from 'rolldown'
import { readStyles } from './read-styles.mjs'

const folder = import.meta.dirname
/** As old as the constructed style sheets and dialogs that the element needs. */
const TARGET = ['chrome111', 'safari16.4', 'firefox115']

/** Style sheets that are imported as text. Vite knows these by itself, where others build the kit. */
const stylesAsText = {
  name: 'styles-as-text',
  resolveId: (source, importer) => (source.endsWith('.css?inline') ? join(importer, '..', source) : null),
  async load(id) {
    if (!id.endsWith('.css?inline')) return null
    const text = (await readStyles(id.replace('?inline', ''))).replace(/^\s+/gm, '')
    return { code: `export default ${JSON.stringify(text)}`, moduleType: 'js' }
  },
}

/** One file with everything in it, `bundle/<name>.js`. What is being served stays whole until the new one is there. */
export function buildForPages({ name, entry, plugins = [], output }) {
  return build({
    cwd: folder,
    input: join(folder, entry),
    platform: 'browser',
    resolve: { conditionNames: ['parley-source', 'module', 'browser', 'production'] },
    transform: { target: TARGET, define: { 'process.env.NODE_ENV': '"production"' } },
    plugins: [...plugins, stylesAsText],
    output: { file: join(folder, 'bundle', `${name}.js`), minify: true, codeSplitting: false, ...output },
    logLevel: 'warn',
  })
}
