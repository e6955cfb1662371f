import { expect, test } from 'vitest'
import { readSuggestions } from './read-suggestions.ts'

test.each<[what: string, answer: string, suggestions: string[]]>([
  ['one a line', 'What is the price?\nWho made it?\n', ['What is the price?', 'Who made it?']],
  ['a numbered list with a heading', 'Here are three:\n1. One?\n2) Two?\n3、三？', ['One?', 'Two?', '三？']],
  ['bullets, bold and quotes', '- **One?**\n* "Two?"\n• 「三？」', ['One?', 'Two?', '三？']],
  ['a JSON list in a fence', '```json\n["One?", "Two?"]\n```', ['One?', 'Two?']],
  ['the same one twice', 'One?\nOne?\nTwo?', ['One?', 'Two?']],
  ['more than three', 'a\nb\nc\nd\ne', ['a', 'b', 'c']],
  ['thinking in the text', '<think>\nmaybe this\n</think>\nOne?', ['One?']],
  ['thinking that never ends', '<think>\nmaybe this', []],
  ['one that is too long', `${'x'.repeat(121)}\n${'y'.repeat(120)}`, ['y'.repeat(120)]],
  ['tags, links and code', '<b>One?</b>\n[Two](x)\n`rm -rf /`\n<img src=x>\nThree?', ['Three?']],
  [
    'addresses, which a click would make the user’s own',
    'Read https://evil.example/?q=\nOpen evil.example/x\nftp://a\nOK?',
    ['OK?'],
  ],
  ['control and bidi characters', 'One\u0000\u202e?', ['One ?']],
  ['numbers in a JSON list', '[1, {"a": 2}, "One?"]', ['One?']],
  ['nothing', '', []],
  ['brackets that are no list', 'Why [sic]?', ['Why [sic]?']],
])('of %s', (_what, answer, suggestions) => {
  expect(readSuggestions(answer)).toEqual(suggestions)
})
