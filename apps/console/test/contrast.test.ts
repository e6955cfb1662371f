import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const sheet = readFileSync(join(import.meta.dirname, '../src/theme/tokens.css'), 'utf8')
const TOKENS = new Map(
  [...sheet.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(([, name, light, dark]) => [
    name!,
    { light: light!, dark: dark! },
  ]),
)

/** Words on what they stand on. */
const TEXT: readonly [string, readonly string[]][] = [
  ['text', ['canvas', 'surface', 'raised', 'hover', 'selected']],
  ['muted', ['canvas', 'surface', 'raised', 'hover', 'selected']],
  ['faint', ['canvas', 'surface', 'raised']],
  ['accent', ['canvas', 'surface', 'raised', 'hover', 'selected']],
  ['on-accent', ['accent', 'accent-hover']],
  ['on-accent-soft', ['accent-soft']],
  ['on-badge', ['badge']],
  ['warning', ['surface', 'canvas', 'warning-soft']],
  ['danger', ['surface', 'canvas', 'danger-soft']],
  ['success', ['surface', 'success-soft']],
  ['recover', ['surface', 'recover-soft']],
  ['added', ['added-soft']],
  ['deleted', ['deleted-soft']],
]
/** Borders of what can be used, and marks. */
const MARKS: readonly [string, readonly string[]][] = [
  ['control', ['canvas', 'surface']],
  ['attention', ['canvas', 'surface', 'selected']],
  ...[1, 2, 3, 4, 5].map((number): [string, string[]] => [`plot-${number}`, ['surface']]),
]

test('[G7.1] every word has a contrast of 4.5 on its ground, every mark and border of 3, in both themes', () => {
  const weak: string[] = []
  for (const theme of ['light', 'dark'] as const)
    for (const [pairs, least] of [
      [TEXT, 4.5],
      [MARKS, 3],
    ] as const)
      for (const [name, grounds] of pairs)
        for (const ground of grounds) {
          const ratio = contrast(TOKENS.get(name)![theme], TOKENS.get(ground)![theme])
          if (ratio < least) weak.push(`${name} on ${ground}, ${theme}: ${ratio.toFixed(2)}`)
        }
  expect(weak).toEqual([])
  expect(TOKENS.size).toBeGreaterThan(30)
})

/** WCAG 2.2. */
function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
