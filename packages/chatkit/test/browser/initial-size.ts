import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Rollup } from 'vite'

/** How lazy parts are fetched is the host's business, as React is. */
const WITHOUT_HELPER = 'export const __vitePreload = (load) => load()'

export type InitialSize = { js: number; css: number; hasReact: boolean }

/**
 * What a page downloads at first for `code`, without React, minified and compressed, in bytes. Parts that are loaded
 * later do not count. Packages are found from `folder`.
 */
export async function initialSize(code: string, folder: string): Promise<InitialSize> {
  const { NODE_ENV } = process.env
  process.env.NODE_ENV = 'production'
  const entry = join(folder, 'entry-of-size.js')
  const result = (await build({
    configFile: false,
    logLevel: 'error',
    mode: 'production',
    root: folder,
    resolve: { conditions: ['parley-source', 'module', 'browser', 'production'] },
    plugins: [
      {
        name: 'entry-of-size',
        enforce: 'pre',
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) => (id === entry ? code : id.includes('vite/preload-helper') ? WITHOUT_HELPER : undefined),
      },
    ],
    build: {
      write: false,
      modulePreload: false,
      // What lazy parts share with the entry may stay in it, as in any page's own build.
      rollupOptions: {
        input: entry,
        external: [/^react(?:-dom)?(?:\/|$)/],
        preserveEntrySignatures: 'allow-extension',
      },
    },
  }).finally(() => {
    if (NODE_ENV !== undefined) process.env.NODE_ENV = NODE_ENV
  })) as Rollup.RollupOutput
  const first = initialChunks(result.output.filter((file) => file.type === 'chunk'))
  const sheets = result.output.filter((file) => file.type === 'asset' && file.fileName.endsWith('.css'))
  return {
    // Each file is compressed on its own, as a server does it.
    js: sum(first.map(({ code }) => gzipSync(code).length)),
    css: sum(sheets.map((sheet) => gzipSync((sheet as Rollup.OutputAsset).source).length)),
    hasReact: first.some(({ code }) => /react\.(?:element|transitional\.element)|jsxDEV/.test(code)),
  }
}

/** The entry, and whatever it cannot run without. */
function initialChunks(chunks: readonly Rollup.OutputChunk[]): Rollup.OutputChunk[] {
  const found = new Set(chunks.filter(({ isEntry }) => isEntry))
  for (const { imports } of found) for (const chunk of chunks) if (imports.includes(chunk.fileName)) found.add(chunk)
  return [...found]
}

const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0)
