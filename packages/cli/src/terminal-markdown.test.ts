import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createStyle } from './terminal.ts'
import { TerminalMarkdown } from './terminal-markdown.ts'

/** Colours as tags, so that a reader of the test sees them. */
const TAGS = Object.fromEntries(
  Object.keys(createStyle(true)).map((name) => [name, (text: string) => (text ? `<${name}>${text}</${name}>` : '')]),
) as unknown as ReturnType<typeof createStyle>

function drawn(pieces: readonly string[], style = TAGS): string {
  const markdown = new TerminalMarkdown(style)
  return pieces.map((piece) => markdown.write(piece)).join('') + markdown.end()
}

test.each([
  ['plain words', 'Hello, world.\n', 'Hello, world.\n'],
  ['a heading', '## Result\nfine', '<bold>Result</bold>\nfine'],
  ['bold and code', 'use **npm** or `npx`', 'use <bold>npm</bold> or <cyan>npx</cyan>'],
  ['emphasis', 'an *important* word', 'an <italic>important</italic> word'],
  ['a list', '- one\n  * two\n', '• one\n  • two\n'],
  ['a numbered list', '1. one\n2. two', '1. one\n2. two'],
  ['a quote', '> so it is', '<dim>│ </dim><dim>so it is</dim>'],
  ['a rule', 'a\n\n---\nb', 'a\n\n<dim>────────────────────</dim>\nb'],
  ['a link', 'see [the docs](https://a.example)', 'see the docs<dim> (https://a.example)</dim>'],
  ['code in a fence', '```js\nlet **a**\n```\n', '<dim>```js</dim>\n<cyan>let **a**</cyan>\n<dim>```</dim>\n'],
  ['an escaped mark', String.raw`\*not\*`, '*not*'],
  ['sums are no emphasis', '2 * 3 * 4', '2 * 3 * 4'],
  ['brackets that are no link', 'a[0] and [x]', 'a[0] and [x]'],
  ['a mark that is never closed ends with its line', '**oops\nfine', '<bold>oops</bold>\nfine'],
  ['an answer that ends in a mark', 'so **', 'so '],
  ['an answer that ends in the middle of a link', '[half](http', '[half](http'],
])('%s', (_name, markdown, expected) => {
  expect(drawn([markdown])).toBe(expected)
})

test('an answer looks the same however it was cut into pieces', () => {
  const letter = fc.constantFrom(...'ab *`#->[]()\n\\~_中'.split(''))
  fc.assert(
    fc.property(fc.array(fc.string({ unit: letter, maxLength: 12 }), { maxLength: 12 }), (pieces) => {
      const plain = createStyle(false)
      expect(drawn(pieces, plain)).toBe(drawn([pieces.join('')], plain))
    }),
    { numRuns: 2_000 },
  )
})

test('letters and digits all arrive, in their order', () => {
  const letter = fc.constantFrom(...'abc123 *`#->\n'.split(''))
  const words = (text: string) => text.replaceAll(/[^a-c1-3]/g, '')
  fc.assert(
    fc.property(fc.string({ unit: letter, maxLength: 80 }), (text) => {
      expect(words(drawn([text], createStyle(false)))).toBe(words(text))
    }),
    { numRuns: 2_000 },
  )
})
