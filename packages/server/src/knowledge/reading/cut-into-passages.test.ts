import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutIntoPassages, type Passage } from './cut-into-passages.ts'
import { marksOf } from './markdown-marks.ts'

const bodies = (text: string, limits?: { length: number; overlap: number }) =>
  cutIntoPassages(text, limits).map((passage) => passage.text)
const NO_OVERLAP = { length: 20, overlap: 0 }

describe('[S15.4] a passage', () => {
  test('is the whole of a short text', () => {
    expect(cutIntoPassages('  Refunds take a week.\n')).toEqual([
      { position: 0, start: 2, end: 22, headings: [], text: 'Refunds take a week.' },
    ])
    expect(cutIntoPassages(' \n ')).toEqual([])
  })

  test('stays below its headings, and knows them', () => {
    const text = '# Shop\n\nHello.\n\n## Refunds\n\nA week.\n\n#### By card\n\nA day.\n\n# Contact\nMail.\n'
    expect(cutIntoPassages(text).map(({ headings, text: body }) => [headings.join(' > '), body])).toEqual([
      ['Shop', 'Hello.'],
      ['Shop > Refunds', 'A week.\n\n#### By card\n\nA day.'],
      ['Contact', 'Mail.'],
    ])
    const long = `# Shop\n\n#### By card\n\n${'A day passes. '.repeat(60)}\n\n#### By post\n\n${'So does a week. '.repeat(60)}`
    const paths = cutIntoPassages(long).map(({ headings }) => headings.join(' > '))
    expect(new Set(paths)).toEqual(new Set(['Shop', 'Shop > By card', 'Shop > By post']))
  })

  test('is below headings that are underlined, too', () => {
    const found = cutIntoPassages('Shop\n====\n\nHello.\n\nRefunds\n---\n\nA week.\n\n---\n\nThe end.')
    expect(found.map(({ headings, text }) => [headings.join(' > '), text])).toEqual([
      ['Shop', 'Hello.'],
      ['Shop > Refunds', 'A week.\n\n---\n\nThe end.'],
    ])
  })

  test('is a heading that has nothing below it', () => {
    const found = cutIntoPassages('# Shop\n## Open from nine to five\n## Closed on Sundays ##\n')
    expect(found.map(({ headings, text }) => [headings.join(' > '), text])).toEqual([
      ['Shop', '## Open from nine to five'],
      ['Shop', '## Closed on Sundays ##'],
    ])
  })

  test('takes no line of code for a heading', () => {
    const [only, ...others] = cutIntoPassages('Run:\n\n```sh\n# install\nnpm i\n```\n\n~~~\n# more\n```\n~~~\nDone.')
    expect([only?.headings, others]).toEqual([[], []])
  })

  test.each([
    ['a paragraph', 'Ten chars.\n\nTwo. And more text', ['Ten chars.', 'Two. And more text']],
    ['a sentence', 'Ten, chars. And more, words', ['Ten, chars.', 'And more, words']],
    ['a clause', 'Ten characters, and more words', ['Ten characters,', 'and more words']],
    ['a word', 'Ten characters and more words', ['Ten characters and', 'more words']],
    [
      'a Chinese sentence',
      '退款一般需要七天。请您耐心等待，我们会通知',
      ['退款一般需要七天。', '请您耐心等待，我们会通知'],
    ],
    [
      'a Chinese clause',
      '退款一般需要七到十天，请您耐心等待我们通知',
      ['退款一般需要七到十天，', '请您耐心等待我们通知'],
    ],
    ['a quoted sentence', '他说：“明天一定会到货。”我们一起等着看吧', ['他说：“明天一定会到货。”', '我们一起等着看吧']],
    ['an item of a list', '- apples\n- pears and\n- plums', ['- apples\n- pears and', '- plums']],
    [
      'a Latin word among Chinese',
      '我们的系统现在使用的数据库是PostgreSQL',
      ['我们的系统现在使用的数据库是', 'PostgreSQL'],
    ],
  ])('ends at the end of %s', (_what, text, expected) => {
    expect(bodies(text, NO_OVERLAP)).toEqual(expected)
  })

  test('begins with the end of the one before', () => {
    const text = 'The first sentence is long. Short. The second one goes on for a while, too.'
    expect(bodies(text, { length: 40, overlap: 12 })).toEqual([
      'The first sentence is long. Short.',
      'Short. The second one goes on for a',
      'on for a while, too.',
    ])
  })

  test.each([
    ['table', `| Port | Time |\n| --- | --- |\n${'| Kiel | 06:00 |\n'.repeat(20)}`],
    ['code block', `\`\`\`ts\n${'const a = 1\n\n'.repeat(30)}\`\`\``],
  ])('has all of a %s that fits, and parts between lines of one that does not', (_what, block) => {
    const before = 'What stands before it. '.repeat(8).trim()
    const text = `${before}\n\n${block}\n\nWhat stands behind it, and so on. And so on.`
    expect(bodies(text).filter((body) => body.includes(block.trim()))).toHaveLength(1)
    const lines = new Set(block.split('\n'))
    for (const body of bodies(text, { length: 100, overlap: 0 }))
      for (const line of body.split('\n')) if (/^[|`]|const/.test(line)) expect(lines).toContain(line)
  })

  test('is refused where it could not be cut', () => {
    expect(() => cutIntoPassages('a', { length: 100, overlap: 51 })).toThrow(RangeError)
    expect(() => cutIntoPassages('a', { length: 8, overlap: 0 })).toThrow(RangeError)
  })
})

describe('[S15.4] whatever the text', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 30 }),
    fc.constantFrom(
      '\n',
      '\n\n',
      ' ',
      '\r\n',
      '# A\n',
      '\n## B\n',
      '\n#### C\n',
      '```\n',
      '~~~\n',
      '| a | b |\n|---|---|\n',
    ),
    fc.constantFrom(
      '退款需要七天。',
      '，请等待',
      '🇩🇪🇨🇳',
      '👨‍👩‍👧‍👦',
      'e\u0301',
      ' \u0301',
      '\ud83d',
      'A word. ',
      '\nTitle\n===\n',
      '- item\n',
    ),
    fc.integer({ min: 1, max: 200 }).map((times) => 'x'.repeat(times)),
  )
  const anyText = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''))
  const anyLimits = fc
    .record({ length: fc.integer({ min: 40, max: 120 }), share: fc.double({ min: 0, max: 0.5, noNaN: true }) })
    .map(({ length, share }) => ({ length, overlap: Math.floor(length * share) }))

  test('passages are parts of it, in order, none too long', () => {
    fc.assert(
      fc.property(anyText, anyLimits, (text, limits) => {
        const passages = cutIntoPassages(text, limits)
        for (const [index, { position, start, end, text: body }] of passages.entries()) {
          expect(position).toBe(index)
          expect(body).toBe(text.slice(start, end))
          expect(body.length).toBeGreaterThan(0)
          expect(body.length).toBeLessThanOrEqual(limits.length)
          expect(start).toBeGreaterThan(passages[index - 1]?.start ?? -1)
          expect(end).toBeGreaterThan(passages[index - 1]?.end ?? -1)
        }
      }),
      { numRuns: 500 },
    )
  })

  test('only white space and headings are in none of them', () => {
    fc.assert(
      fc.property(anyText, anyLimits, (text, limits) => {
        const rest = uncovered(text, cutIntoPassages(text, limits))
        expect(rest.trim()).toBe('')
      }),
      { numRuns: 500 },
    )
  })

  test('none crosses a heading of level 1 to 3', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const borders = marksOf(text).headings.filter(({ level }) => level <= 3)
        for (const { start, end } of cutIntoPassages(text, { length: 60, overlap: 20 }))
          for (const border of borders)
            expect(start < border.start && end > border.start, `${start}–${end}, heading at ${border.start}`).toBe(
              false,
            )
      }),
      { numRuns: 500 },
    )
  })

  test('no character is cut, as people see it', () => {
    const segmenter = new Intl.Segmenter()
    fc.assert(
      fc.property(anyText, (text) => {
        const places = new Set([...segmenter.segment(text)].map(({ index }) => index).concat(text.length))
        for (const { start, end } of cutIntoPassages(text, { length: 60, overlap: 20 }))
          expect([places.has(start), places.has(end)], `${start}–${end}`).toEqual([true, true])
      }),
      { numRuns: 500 },
    )
  })

  function uncovered(text: string, passages: readonly Passage[]): string {
    const characters = text.split('')
    for (const { start, end } of [...passages, ...marksOf(text).headings]) characters.fill(' ', start, end)
    return characters.join('')
  }
})

test.each([
  ['English', 'The quick brown fox jumps over the lazy dog, twice. '],
  ['Chinese', '退款需要七天，请耐心等待。如有问题、联系客服！\n\n'],
  ['no border at all', 'x'],
  ['one accent after the other', '\u0301'],
  ['flags', '🇩🇪'],
  ['items', '- a\n'],
  ['code that nobody closes', '```\n#\n'],
  ['rows', '|a|\n'],
  ['white space in a heading', `# a${' '.repeat(2 ** 17 - 8)}b`],
])('[S15.4] a long text of %s takes about four times as long as a quarter of it', (_what, piece) => {
  const whole = piece.repeat(Math.floor(2 ** 17 / piece.length))
  const quarter = whole.slice(0, 2 ** 15)
  const least = (text: string) => Math.min(...[1, 2, 3, 4, 5].map(() => processorMs(() => cutIntoPassages(text))))
  least(quarter)
  expect(least(whole)).toBeLessThan(8 * least(quarter) + 20)
})

function processorMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
