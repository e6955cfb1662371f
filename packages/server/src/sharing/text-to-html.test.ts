import { expect, test } from 'vitest'
import { textToHtml } from './text-to-html.ts'

test.each([
  ['one\ntwo\n\nthree', '<p>one\ntwo</p><p>three</p>'],
  ['## A **bold** title', '<p class="heading">A <strong>bold</strong> title</p>'],
  ['- one\n- `two`\n  more', '<ul><li>one</li><li><code>two</code>\nmore</li></ul>'],
  ['Steps:\n1. one\n2) two', '<p>Steps:</p><ol><li>one</li><li>two</li></ol>'],
  ['| a | b |\n|---|:-:|\n| 1 | 2 |', '<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>'],
  ['```ts\n**a** <b>\n```\nend', '<pre><code>**a** &lt;b&gt;</code></pre><p>end</p>'],
  ['`**a**` **b**', '<p><code>**a**</code> <strong>b</strong></p>'],
  [
    '[here](https://a.example/?x=1&y=2)',
    '<p><a href="https://a.example/?x=1&amp;y=2" rel="nofollow noopener noreferrer">here</a></p>',
  ],
  ['[there](javascript:alert(1))', '<p>[there](javascript:alert(1))</p>'],
  [
    '[x](https://a.example/"onclick=1)',
    '<p><a href="https://a.example/&quot;onclick=1" rel="nofollow noopener noreferrer">x</a></p>',
  ],
  ['<img src=x onerror=alert(1)>', '<p>&lt;img src=x onerror=alert(1)&gt;</p>'],
])('%j', (text, html) => {
  expect(textToHtml(text)).toBe(html)
})

test.each(['[', '**', '`', '- ', '| ', '![', '\n', '#', '&', '~~~\n', '[a](https://'])(
  'a megabyte of %j takes no time to speak of',
  (piece) => {
    const before = process.cpuUsage()
    textToHtml(piece.repeat(1_000_000 / piece.length))
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(5_000)
  },
)
