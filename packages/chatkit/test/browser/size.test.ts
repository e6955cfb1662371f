import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import kitStyles from '../../src/react/chatkit.css?inline'
import { initialSize } from './initial-size.ts'

const source = join(import.meta.dirname, '../../src')
const KIB = 1024

const budget = (name: string, size: number, limitKiB: number): void => {
  console.log(`B6  ${name}: ${(size / KIB).toFixed(1)} KiB gzip, at most ${limitKiB}`)
  expect(size).toBeLessThanOrEqual(limitKiB * KIB)
}

describe('[KB6] sizes', () => {
  test('[KB6] the Markdown renderer alone is at most 25 KiB', async () => {
    const { js, hasReact } = await initialSize(`export { Markdown } from '${source}/index.ts'`, source)
    budget('Markdown', js, 25)
    expect(hasReact).toBe(false)
  })

  test(
    '[KB6] the kit with one HTTP adapter is at most 60 KiB and does not contain React',
    { timeout: 60_000 },
    async () => {
      const { js, hasReact } = await initialSize(`export { ChatKit, coze } from '${source}/index.ts'`, source)
      budget('ChatKit with Coze', js, 60)
      expect(hasReact).toBe(false)
    },
  )

  test(
    '[KB6] the kit with the realtime adapter and its socket client is at most 95 KiB',
    { timeout: 60_000 },
    async () => {
      const { js, hasReact } = await initialSize(`export { ChatKit, parley } from '${source}/index.ts'`, source)
      budget('ChatKit with Parley', js, 95)
      expect(hasReact).toBe(false)
    },
  )

  test('[KB6] the style sheet is at most 12 KiB', () => {
    budget('style sheet, not minified', gzipSync(readFileSync(join(source, '../bundle/chatkit.css'))).length, 12)
  })

  test('[K17.4] every rule of the style sheet is below a class of the kit and in the layer, but for those that keep resets out', () => {
    const css = kitStyles.replace(/\/\*[\s\S]*?\*\//g, '')
    expect(css.trim()).toMatch(/^@layer [\w, ]+;\s*@layer chatkit ?\{/)
    const unlayered = css.slice(css.lastIndexOf('\n}\n', css.indexOf('revert-layer')))
    expect(unlayered.match(/[\w-]+: [\w-]+;/g)).toEqual(['all: revert-layer;', 'all: revert-layer;'])
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
