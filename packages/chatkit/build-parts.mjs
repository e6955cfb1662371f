// What pages get at first use: highlighting, formulas, charts and diagrams, each one file with everything in it. And the
// script of the page for iframes, which is loaded beside the chat.
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { build } from 'vite'

const folder = import.meta.dirname
const bundle = join(folder, 'bundle')
/** Name of the file, and what it is made of. `embed-parts.ts` asks for these names and for `mermaid`. */
const PARTS = {
  highlight: 'src/lazy/highlight.ts',
  math: 'src/lazy/render-math.ts',
  charts: 'src/lazy/draw-chart.ts',
  frame: 'src/element/frame.ts',
}
/** As old as the constructed style sheets and dialogs that the element needs. */
export const TARGET = ['chrome111', 'safari16.4', 'firefox115']

/** Makes those that are older than their sources and the list of packages. */
export async function buildParts() {
  await buildMermaid()
  const lazy = (await readdir(join(folder, 'src/lazy'))).map((file) => join(folder, 'src/lazy', file))
  const frame = ['src/element/frame.ts', 'src/element/frame-host.ts', '../protocol/src/bridge-envelope.ts']
  const sources = [...lazy, ...frame.map((file) => join(folder, file))]
  const newest = Math.max(
    ...(await Promise.all([...sources, join(folder, 'package.json'), import.meta.filename].map(changedAt))),
  )
  for (const [name, file] of Object.entries(PARTS))
    if ((await changedAt(join(bundle, `${name}.js`))) < newest) await buildPart(name, file)
}

function buildPart(name, file) {
  return build({
    root: folder,
    configFile: false,
    logLevel: 'warn',
    define: { 'process.env.NODE_ENV': '"production"' },
    resolve: { conditions: ['parley-source', 'module', 'browser', 'production'] },
    build: {
      outDir: 'bundle',
      emptyOutDir: false,
      copyPublicDir: false,
      target: TARGET,
      // A library would be left readable, for those who build it into something else.
      rollupOptions: { output: { minify: true } },
      lib: { entry: file, formats: ['es'], fileName: () => `${name}.js` },
    },
  })
}

/** Mermaid runs in a frame without network, so it is handed over as text: `@parley/chatkit/mermaid`. */
async function buildMermaid() {
  const script = createRequire(import.meta.url).resolve('mermaid/dist/mermaid.min.js')
  const made = join(bundle, 'mermaid.js')
  if ((await changedAt(made)) > (await changedAt(script))) return
  const text = await readFile(script, 'utf8')
  await mkdir(bundle, { recursive: true })
  await writeFile(made, `// Made by build-parts.mjs.\nexport const source = ${JSON.stringify(text)}\n`)
}

const changedAt = (file) =>
  stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
