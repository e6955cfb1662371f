import { expect, test } from 'vitest'
import { answerOfText } from './answer-of-text.ts'
import { buildMessageContent, textOfContent } from './build-message-content.ts'

const file = { kind: 'file' as const, name: 'a.csv', uploadedPath: 'data/a.csv' }

test('[W14.5] a text without files stays a text', () => {
  expect(buildMessageContent('hello')).toBe('hello')
})

test('[W14.5] files are named after the text, with their place in the workspace', () => {
  const content = buildMessageContent('Read it', [file])
  expect(textOfContent(content)).toBe('Read it\n\nAttached files, in the workspace:\n- a.csv: data/a.csv')
  expect(buildMessageContent(' ', [file])).toHaveLength(1)
})

test('[W14.5] a text answers every question of the call', () => {
  const asked = { tool_call_id: 'tc_1', turn_id: 't', loop_id: 'root', arguments: { questions: [{}, {}] } }
  expect(answerOfText(asked, 'blue')).toEqual({
    tool_call_id: 'tc_1',
    selections: {},
    custom: { 0: 'blue', 1: 'blue' },
  })
})
