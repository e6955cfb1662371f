import { describe, expect, test } from 'vitest'
import { contrastOf, kitAccent, launcherAccent, readColor } from '../../src/element/accent.ts'

const GROUND = { light: readColor('#ffffff')!, dark: readColor('#15171c')! }
const valueOf = (rules: string, name: string) => readColor(new RegExp(`--${name}:(#[0-9a-f]{6})`).exec(rules)![1]!)!

describe.each(['#0a7d4f', '#ffd400', '#000', '#fff', '#7ea6ff', '#c00', '#808080'])('the accent %s', (accent) => {
  const [light = '', dark = ''] = kitAccent(accent).split('.ck-root[data-theme=dark]')

  test.each([
    ['light', light],
    ['dark', dark],
  ] as const)('[K17.1] can be read in the %s theme', (theme, rules) => {
    const fill = valueOf(rules, 'ck-accent')
    expect(contrastOf(fill, GROUND[theme])).toBeGreaterThanOrEqual(3)
    expect(contrastOf(valueOf(rules, 'ck-link'), GROUND[theme])).toBeGreaterThanOrEqual(4.5)
    expect(contrastOf(valueOf(rules, 'ck-on-accent'), fill)).toBeGreaterThanOrEqual(4.5)
  })

  test('is the launcher’s own colour, with a sign on it that can be seen', () => {
    const rules = launcherAccent(accent)
    expect(valueOf(rules, 'accent')).toEqual(readColor(accent))
    expect(contrastOf(valueOf(rules, 'on-accent'), valueOf(rules, 'accent'))).toBeGreaterThanOrEqual(4.5)
  })
})

test.each(['', 'red', '#12', '#12345', '#1234567', 'url(x)', '#fff;}'])('“%s” is no colour', (text) => {
  expect(readColor(text)).toBeUndefined()
})
