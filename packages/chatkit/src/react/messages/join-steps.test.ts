import { expect, test } from 'vitest'
import type { Block, ChatMessage } from '../../model/chat-message.ts'
import { joinSteps } from './join-steps.ts'

const step: Block = { type: 'Tool', content: { name: 'f', title: 'F' } }
const text: Block = { type: 'Markdown', content: 'words' }
const message = (messageID: string, content: Block[], more: Partial<ChatMessage> = {}): ChatMessage => ({
  messageID,
  role: { name: 'A', type: 'Assistant', avatar: '' },
  content,
  groupID: 'run',
  ...more,
})
const joined = (messages: ChatMessage[]) =>
  Object.fromEntries([...joinSteps(messages)].map(([id, { skipped, parts }]) => [id, [skipped, parts.length]]))

test('[K14] steps that follow steps of the same answer stand with them', () => {
  expect(joined([message('a', [text, step]), message('b', [step]), message('c', [step, text])])).toEqual({
    a: [0, 2],
    b: [1, 0],
    c: [1, 0],
  })
})

test.each<[string, ChatMessage[]]>([
  ['of another answer', [message('a', [step]), message('b', [step], { groupID: 'other' })]],
  ['after words', [message('a', [step, text]), message('b', [step])]],
  ['after a failure', [message('a', [step], { error: {} as never }), message('b', [step])]],
  ['after an interruption', [message('a', [step], { status: 'interrupted' }), message('b', [step])]],
])('[K14] steps %s begin anew', (_, messages) => expect(joined(messages)).toEqual({}))

test('[K16.3] what is the same again is the same object, also when its message grows', () => {
  const first = [message('a', [step]), message('b', [step, text])]
  const before = joinSteps(first)
  const after = joinSteps([first[0]!, message('b', [step, { ...text, content: 'more words' }])], before)
  expect(after.get('a')).toBe(before.get('a'))
})
