import fc from 'fast-check'
import { expect, test } from 'vitest'
import { secretMask } from './mask-secrets.ts'

/** What it stands for: every character inside any occurrence is marked, and every run of overlapping ones is one mask. */
function byMarking(values: string[], text: string): string {
  const forms = values.filter(({ length }) => length >= 6).flatMap((v) => [v, JSON.stringify(v).slice(1, -1)])
  const longestAt = (at: number) =>
    Math.max(0, ...forms.filter((form) => text.startsWith(form, at)).map((f) => f.length))
  let masked = ''
  for (let at = 0; at < text.length;) {
    let end = at + longestAt(at)
    for (let inside = at; inside < end; inside++) end = Math.max(end, inside + longestAt(inside))
    masked += end > at ? '[secret]' : text[at]
    at = Math.max(end, at + 1)
  }
  return masked
}

/** One value after the other, the longest first. */
function oneByOne(values: string[], text: string): string {
  const forms = values
    .filter(({ length }) => length >= 6)
    .sort((a, b) => b.length - a.length)
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)])
  return forms.reduce((masked, form) => masked.replaceAll(form, '[secret]'), text)
}

/** Few letters, so that values overlap, begin with each other and stand in texts by chance. */
const letters = fc.constantFrom('a', 'b', '"', '\n', '密', '\u{1F511}')
const word = (max: number) => fc.string({ unit: letters, maxLength: max })

test('[W12.5] one pass masks exactly what lies inside of any value, also where values overlap', async () => {
  const sameBeginning = fc.tuple(fc.constantFrom('aaaaaa', 'ababab'), word(6)).map((both) => both.join(''))
  const parts = fc.array(fc.oneof(word(14), sameBeginning), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(
      parts,
      fc.array(fc.oneof(word(20), sameBeginning, fc.nat(11)), { maxLength: 12 }),
      async (values, pieces) => {
        const text = pieces.map((piece) => (typeof piece === 'string' ? piece : (values[piece] ?? ''))).join('')
        expect((await secretMask(values))(text)).toBe(byMarking(values, text))
      },
    ),
    { numRuns: 3_000 },
  )
})

test('[W12.5] values that stand apart are masked as if each were looked for alone', async () => {
  const value = fc.string({ unit: fc.constantFrom(...'abcdef"\\'), minLength: 6, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(value, { maxLength: 20 }),
      fc.array(fc.nat(19), { maxLength: 20 }),
      async (values, order) => {
        const text = order.map((n) => `${values[n] ?? 'nothing'} – `).join('')
        fc.pre(byMarking(values, text) === oneByOne(values, text))
        expect((await secretMask(values))(text)).toBe(oneByOne(values, text))
      },
    ),
    { numRuns: 1_000 },
  )
})

test('[W12.5] a value that is part of the mask itself harms no mask, and short ones are words', async () => {
  expect((await secretMask(['secret', 'zh', 'hunter-22']))('zh: hunter-22, secret')).toBe('zh: [secret], [secret]')
  expect((await secretMask(['abcdef', 'defghi']))('-abcdefghi-')).toBe('-[secret]-')
  expect((await secretMask([]))('anything')).toBe('anything')
})

test('[W12.5] 100 000 values cost one pass; values made to cost more leave nothing to be seen, in bounded time', async () => {
  const many = Array.from({ length: 100_000 }, (_, n) => `sk-proj-${(n * 2_654_435_761) % 4_294_967_296}-${n}`)
  const text = Array.from({ length: 2_000 }, (_, n) => `${many[n * 7]} and sk-proj-nothing ${'x'.repeat(400)}`).join(
    ' ',
  )
  const masked = (await secretMask(many))(text)
  expect(masked).not.toMatch(/sk-proj-\d/)
  expect(masked.match(/\[secret\]/g)).toHaveLength(2_000)
  const traps = Array.from({ length: 2_000 }, (_, n) => `${'a'.repeat(6 + n)}b`)
  expect((await secretMask(traps))('a'.repeat(1_000_000))).toBe('[secret]')
})
