import { expect, test } from 'vitest'
import { contextPrompt, promptContent } from './context-prompt.ts'

const data = { id: 7, note: 'two\n\nlines', nested: [{ a: '】' }] }

test.each([data, null, 'text', 42, []])('[K20.1.4] what was sent in front of a text is found again: %j', (sent) => {
  const prompt = contextPrompt('What is this?\n\nReally.', { title: 'Order 【7】', data: sent })
  expect(promptContent(prompt)).toMatchObject({
    content: [{ type: 'Text', content: 'What is this?\n\nReally.' }],
    applicationContext: { title: 'Order 【7】', data: sent },
  })
})

test.each(['plain', '【上下文: x】', '【上下文: x】\nno JSON\n\ntext', '【上下文: x】\n{}'])(
  '[K20.1.4] a text that only looks like it stays whole: %j',
  (text) => {
    expect(promptContent(text)).toEqual({ content: [{ type: 'Text', content: text, key: 'text' }] })
  },
)
