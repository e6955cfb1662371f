/** Texts for tests and benches of the renderer. */
import fc from 'fast-check'

/** A mixed answer as models write them: headings, emphasis, lists, tables, code, links, formulas, Chinese. */
const SECTION = `## Section about **rivers** and their levels

The gauge at *Kaub* showed 1.24 m at 06:00, which is **well below** the mean of [the last decade](https://example.org/levels).
水在 **0 °C** 结冰。**注意：**海水的冰点更低，大约是 \`-1.9 °C\`。

- first point with \`inline code\` and a [link](https://example.org/a)
- second point, *emphasised*
  - nested point with ~~old~~ text
- third point

1. measure the level
2. compare with the table
3. report

| Station | Level | Trend |
| --- | ---: | :---: |
| Kaub | 1.24 | **falling** |
| Köln | 2.03 | steady |

\`\`\`python
def level(station: str) -> float:
    # one reading, in metres
    return readings[station][-1]
\`\`\`

> A quoted remark over
> two lines.

The formula is $h = v^2 / 2g$ and the water costs $5 to $6.

`

/** A mixed answer of at least `length` characters, cut there. */
export const mixedAnswer = (length: number): string =>
  SECTION.repeat(Math.ceil(length / SECTION.length)).slice(0, length)

const FRAGMENTS = [
  ...[
    '# ',
    '## H\n',
    '\n',
    '\n\n',
    '   ',
    '    code\n',
    '\t',
    '- ',
    '* ',
    '1. ',
    '2) ',
    '- [ ] ',
    '- [x] t\n',
    '> ',
    '---\n',
    '***\n',
  ],
  ...[
    '**',
    '*',
    '_',
    '__',
    '~~',
    '~',
    '`',
    '``',
    '```',
    '```js\n',
    '~~~\n',
    '$',
    '$$',
    '$$\n',
    '\\(',
    '\\)',
    '\\[',
    '\\]',
    '\\',
  ],
  ...[
    '[',
    ']',
    '(',
    ')',
    '![',
    '](',
    '[a](b)',
    '[x][1]',
    '[1]: http://a.b\n',
    '[^1]',
    '[^1]: note\n',
    '<',
    '>',
    '</',
    '<b>',
    '<sub>',
    '</sub>',
  ],
  ...[
    '<details>\n',
    '<summary>s</summary>\n',
    '</details>\n',
    '<script>',
    '</script>',
    '<!--',
    '-->',
    '<br>',
    '&amp;',
    '&#0;',
    '&',
  ],
  ...[
    '|',
    '| a | b |\n',
    '|---|---|\n',
    '| 1 | 2 |\n',
    '===\n',
    'word',
    'two words',
    '注意：',
    '「重点」',
    '。',
    'https://a.b/c',
    '，',
    '🙂',
    '\r\n',
    '\r',
    '\u0000',
  ],
]

/** Anything that looks a little like Markdown, and much that does not. */
export const anyMarkdown: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 40 }).map((parts) => parts.join('')) },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.oneof(fc.constantFrom(...FRAGMENTS), fc.string()), { maxLength: 30 })
      .map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
)

/** The same text, cut into pieces. */
export const cuts = (text: string): fc.Arbitrary<number[]> =>
  fc.array(fc.nat(text.length), { maxLength: 30 }).map((at) => [...new Set(at)].sort((a, b) => a - b))
