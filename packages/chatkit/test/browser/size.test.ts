import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Rollup } from 'vite'
import { describe, expect, test } from 'vitest'

const source = join(import.meta.dirname, '../../src')
const KIB = 1024

/** What a page downloads at first for `code`, without React, minified and compressed. */
async function initialSize(code: string): Promise<{ size: number; hasReact: boolean }> {
  const folder = await mkdtemp(join(tmpdir(), 'chatkit-size-'))
  const entry = join(folder, 'entry.ts')
  await writeFile(entry, code)
  const { NODE_ENV } = process.env
  process.env.NODE_ENV = 'production'
  const result = (await build({
    configFile: false,
    logLevel: 'error',
    mode: 'production',
    root: folder,
    resolve: { conditions: ['parley-source', 'module', 'browser', 'production'] },
    build: {
      write: false,
      modulePreload: false,
      rollupOptions: { input: entry, external: [/^react(?:-dom)?(?:\/|$)/], preserveEntrySignatures: 'strict' },
    },
  }).finally(() => {
    if (NODE_ENV !== undefined) process.env.NODE_ENV = NODE_ENV
  })) as Rollup.RollupOutput
  await rm(folder, { recursive: true, force: true })
  const chunks = result.output.filter((file) => file.type === 'chunk')
  const code0 = chunks.filter(({ isEntry }) => isEntry).map((chunk) => chunk.code)
  return {
    size: gzipSync(code0.join('\n')).length,
    hasReact: /react\.(?:element|transitional\.element)|jsxDEV/.test(code0.join('\n')),
  }
}

describe('[19 B6] sizes', () => {
  test('[19 B6] the Markdown renderer alone is at most 25 KiB', { timeout: 60_000 }, async () => {
    const { size, hasReact } = await initialSize(`export { Markdown } from '${source}/index.ts'`)
    console.log(`B6  Markdown: ${(size / KIB).toFixed(1)} KiB gzip`)
    expect(size).toBeLessThan(25 * KIB)
    expect(hasReact).toBe(false)
  })

  test(
    '[19 B6] the kit with one HTTP adapter is at most 60 KiB and does not contain React',
    { timeout: 60_000 },
    async () => {
      const code = `export { ChatKit, coze } from '${source}/index.ts'`
      const { size, hasReact } = await initialSize(code)
      console.log(`B6  ChatKit with an adapter: ${(size / KIB).toFixed(1)} KiB gzip`)
      expect(size).toBeLessThan(60 * KIB)
      expect(hasReact).toBe(false)
    },
  )

  test('[19 B6] the style sheet is at most 12 KiB', () => {
    const size = gzipSync(readFileSync(join(source, 'react/chatkit.css'))).length
    console.log(`B6  style sheet: ${(size / KIB).toFixed(1)} KiB gzip, not minified`)
    expect(size).toBeLessThan(12 * KIB)
  })

  test('[17.4] every rule of the style sheet is in the layer and below a class of the kit', () => {
    const css = readFileSync(join(source, 'react/chatkit.css'), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
    expect(css.trim()).toMatch(/^@layer chatkit \{/)
    expect(css).not.toContain('!important')
    const selectors = [...css.matchAll(/(?:^|[{};])\s*([^{};@]+?)\s*\{/g)]
      .map(([, list]) => list!)
      .filter((list) => !/^(?:\d+%|from|to)$/.test(list))
    expect(selectors.length).toBeGreaterThan(100)
    for (const selector of selectors) expect(selector).toMatch(/\.ck-/)
    expect(css).not.toMatch(
      /(?:margin|padding|border)-(?:left|right)|[^-](?:left|right)\s*:|text-align:\s*(?:left|right)/,
    )
  })
})
