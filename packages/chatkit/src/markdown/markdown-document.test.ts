import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyMarkdown, cuts, mixedAnswer } from '../../test/markdown-samples.ts'
import { MarkdownDocument } from './markdown-document.ts'

const atOnce = (text: string) => new MarkdownDocument().update(text, false)
const textAndCuts = anyMarkdown.chain((text) => cuts(text).map((at) => [text, at] as const))

describe('[K16.2] incomplete text', () => {
  test('[K16.2] streaming a text in any increments gives the same blocks as reading it at once', () => {
    fc.assert(
      fc.property(textAndCuts, ([text, at]) => {
        const document = new MarkdownDocument()
        for (const end of at) document.update(text.slice(0, end), true)
        expect(document.update(text, false)).toEqual(atOnce(text))
      }),
      { numRuns: 1500 },
    )
  })

  test('[K16.2] a closed block is the same object until the message ends', () => {
    const text = mixedAnswer(6000)
    const document = new MarkdownDocument()
    let closed: unknown[] = []
    for (let end = 7; end < text.length; end += 7) {
      const blocks = document.update(text.slice(0, end), true).flat()
      const stable = blocks.slice(0, closed.length)
      expect(stable.every((block, i) => block === closed[i])).toBe(true)
      closed = blocks.slice(0, -2)
    }
    expect(closed.length).toBeGreaterThan(40)
  })

  test('[K16.2] no text, in any increments, makes the renderer throw', () => {
    fc.assert(
      fc.property(textAndCuts, ([text, at]) => {
        const document = new MarkdownDocument()
        for (const end of [...at, text.length]) document.update(text.slice(0, end), true)
      }),
      { numRuns: 1500 },
    )
  })

  test('[K7.2] a text that becomes shorter, longer or another one is read as if it had come first', () => {
    fc.assert(
      fc.property(fc.array(anyMarkdown, { minLength: 2, maxLength: 4 }), fc.boolean(), (texts, streaming) => {
        const document = new MarkdownDocument()
        for (const text of texts) document.update(text, streaming)
        expect(document.update(texts.at(-1)!, false)).toEqual(atOnce(texts.at(-1)!))
      }),
      { numRuns: 600 },
    )
  })

  test('[K7.2] another end behind the same beginning is read as if it had come first', () => {
    const other = fc.tuple(anyMarkdown, fc.nat(), anyMarkdown)
    const tables = fc.constantFrom(
      '- a\n\nx',
      '- a\n\n- b',
      '| a |\n|---|\n| 1 |\nx',
      'T\n\n    code\n\nx',
      '1. a\n\n   b\n\nc',
    )
    fc.assert(
      fc.property(fc.oneof(other, fc.tuple(tables, fc.nat(), tables)), fc.boolean(), ([text, cut, end], streaming) => {
        const document = new MarkdownDocument()
        const replaced = text.slice(0, cut % (text.length + 1)) + end
        document.update(text, streaming)
        expect(document.update(replaced, false)).toEqual(atOnce(replaced))
      }),
      { numRuns: 2000 },
    )
  })

  test('[K7.2] replacing the end of an answer keeps its beginning as it is', () => {
    const document = new MarkdownDocument()
    const before = document.update('one\n\ntwo\n\nthree\n\nfour', true).flat()
    const after = document.update('one\n\ntwo\n\nthree\n\nfive', false).flat()
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2))
    expect(after[0]).toBe(before[0])
  })

  test('[K16.1] an address defined below its use reaches the blocks above it', () => {
    const document = new MarkdownDocument()
    const [before] = document.update('see [text][1]\n\nmore\n\n', true).flat()
    const [after, more] = document.update('see [text][1]\n\nmore\n\n[1]: https://example.org\n\nend', false).flat()
    expect(JSON.stringify(before!.parts[0]!.tokens)).not.toContain('example.org')
    expect(JSON.stringify(after!.parts[0]!.tokens)).toContain('"href":"https://example.org"')
    expect(more).toBe(document.update('see [text][1]\n\nmore\n\n[1]: https://example.org\n\nend', false).flat()[1])
  })
})

describe('[K16.3] cost', () => {
  const lexed = (text: string, step: number) => {
    const document = new MarkdownDocument()
    for (let end = step; end < text.length + step; end += step) document.update(text.slice(0, end), true)
    return document.lexedCharacters
  }

  test('[K16.3] the work for 50 000 characters in 12 500 increments is linear in the text', () => {
    const small = lexed(mixedAnswer(25_000), 4)
    const large = lexed(mixedAnswer(50_000), 4)
    console.log(
      `lexed: ${small} for 25 000, ${large} for 50 000 characters (${(large / 50_000).toFixed(1)} per character)`,
    )
    expect(large / small).toBeLessThan(2.1)
    expect(large).toBeLessThan(50_000 * 40)
  })

  test.each([
    ['code', '```js\n' + 'const line = 1\n'.repeat(3000), 1],
    ['a list', '- item of a long list\n'.repeat(2000), 8],
    ['a table', '| a | b |\n|---|---|\n' + '| cell | cell |\n'.repeat(2500), 12],
  ])('[K16.3] one block of %s is read once, not once per increment', (_, text, perCharacter) => {
    expect(lexed(text, 4)).toBeLessThan(text.length * perCharacter)
  })

  test('[K16.3] reading at once costs the text, not more', () => {
    const document = new MarkdownDocument()
    document.update(mixedAnswer(50_000), false)
    expect(document.lexedCharacters).toBeLessThan(50_000 * 1.3)
  })

  test.each([
    ['quotes', '>'.repeat(50_000)],
    ['bullets', '- '.repeat(20_000)],
    ['brackets', '['.repeat(20_000)],
    ['brackets that close', '['.repeat(10_000) + ']'.repeat(10_000)],
    ['links', '[a](b'.repeat(5000)],
    ['links that close', '[a]('.repeat(5000) + ')'],
    ['emphasis that closes', '_a '.repeat(2000) + ' b_'.repeat(2000)],
    ['stars', '*a '.repeat(10_000)],
    ['backticks', Array.from({ length: 300 }, (_, i) => '`'.repeat(i)).join(' ')],
    ['dollars', '$a '.repeat(5000)],
    ['tags', '<a '.repeat(10_000)],
    ['pipes', '|'.repeat(20_000) + '\n' + '|-'.repeat(10_000)],
  ])('[K16.3] %s without end cost less than a second', (_, text) => {
    const started = performance.now()
    new MarkdownDocument().update(text, true)
    new MarkdownDocument().update(text, false)
    expect(performance.now() - started).toBeLessThan(1000)
  })
})
