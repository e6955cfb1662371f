import { expect, test } from 'vitest'
import { titleOf } from './session-title.ts'

const context = '【上下文: Gauge 7】\n{\n  "level": 1.24\n}\n\n'

test.each([
  ['its words, on one line', ' Show\n me\tthe  level ', 'Show me the level'],
  ['sixty characters of many', '水'.repeat(61), `${'水'.repeat(60)}…`],
  ['the words after the page they were said about', `${context}Is that much?`, 'Is that much?'],
  ['nothing of nothing', ' \n ', undefined],
])('the title of a session is %s', (_what, message, title) => {
  expect(titleOf(message)).toBe(title)
})
