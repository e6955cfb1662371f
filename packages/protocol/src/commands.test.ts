import { expect, test } from 'vitest'
import { chatSendSchema, commandSchemas } from './commands.ts'
import { isEmptyMessage } from './is-empty-message.ts'

test('a chat:send with the two required fields reads with every default in place', () => {
  expect(chatSendSchema.parse({ session_id: 's', message: 'hi', from_the_future: 1 })).toEqual({
    session_id: 's',
    message: 'hi',
    mode: null,
    askuser_answer: null,
    model: null,
    headless: false,
    output_schema: null,
    whatif: null,
    replay_decision: null,
    plan_decision: null,
    runtime_env: null,
    client_message_id: null,
    skip_knowledge: false,
  })
})

test.each([
  [
    'parts',
    {
      message: [
        { type: 'text', text: 'a' },
        { type: 'image_url', image_url: { url: 'data:,' } },
        { type: 'file', name: 'a.txt', data: '' },
      ],
    },
  ],
  ['an answer', { message: '', askuser_answer: { tool_call_id: 'tc', selections: { '0': [0] }, custom: {} } }],
  [
    'edited arguments',
    { message: '', askuser_answer: { tool_call_id: 'tc', selections: {}, custom: {}, edited_arguments: { a: 1 } } },
  ],
  ['the longest client_message_id', { message: 'a', client_message_id: 'x'.repeat(128) }],
  ['environment names', { message: 'a', runtime_env: { _A1: '', b: 'x' } }],
])('a chat:send with %s is accepted', (_, fields) => {
  expect(chatSendSchema.safeParse({ session_id: 's', ...fields })).toMatchObject({ success: true, data: fields })
})

test.each<[string, { selections?: object | null; custom?: object }]>([
  ['selections', { selections: { '0': [0] } }],
  ['words', { custom: { '0': 'neither' } }],
  ['words, and null selections', { selections: null, custom: { '0': 'neither' } }],
])('an answer with only %s reads with the other empty', (_, given) => {
  const sent = { session_id: 's', message: '', askuser_answer: { tool_call_id: 'tc', ...given } }
  const { selections, custom } = chatSendSchema.parse(sent).askuser_answer!
  expect({ selections, custom }).toEqual({ selections: given.selections ?? {}, custom: given.custom ?? {} })
})

test.each([
  ['no message', {}],
  ['an unknown part', { message: [{ type: 'video' }] }],
  ['an unknown mode', { message: 'a', mode: 'dreaming' }],
  ['selections that are no lists', { message: '', askuser_answer: { tool_call_id: 'tc', selections: { '0': 0 } } }],
  ['a client_message_id of 129 characters', { message: 'a', client_message_id: 'x'.repeat(129) }],
  ['an empty client_message_id', { message: 'a', client_message_id: '' }],
  ['a bad environment name', { message: 'a', runtime_env: { '1A': '' } }],
  ['an environment value that is no string', { message: 'a', runtime_env: { A: 1 } }],
  ['a schema that is no object', { message: 'a', output_schema: 'string' }],
])('a chat:send with %s is refused', (_, fields) => {
  expect(chatSendSchema.safeParse({ session_id: 's', ...fields }).success).toBe(false)
})

test.each([
  ['session:subscribe', { since: 5, patch_mode: 'delta' }, { resync: null }],
  ['session:unsubscribe', {}, {}],
  ['chat:stop', {}, { run_id: null }],
  ['chat:stop', { run_id: 'chat_1' }, {}],
  ['chat:compact', {}, {}],
  ['chat:append', { message: 'and' }, { client_message_id: null }],
] as const)('%s %j reads as it is sent, with %j filled in', (name, fields, defaults) => {
  const payload = { session_id: 's', ...fields }
  expect(commandSchemas[name].parse(payload)).toMatchObject({ ...payload, ...defaults })
})

test.each(Object.keys(commandSchemas) as (keyof typeof commandSchemas)[])('%s needs a session', (name) => {
  expect(commandSchemas[name].safeParse({ message: 'a' }).success).toBe(false)
  expect(commandSchemas[name].safeParse({ message: 'a', session_id: '' }).success).toBe(false)
})

test.each([
  ['', true],
  [' \n', true],
  ['a', false],
  [[], true],
  [[{ type: 'text', text: ' ' }], true],
  [[{ type: 'file', name: 'a', data: '' }], false],
] as const)('the message %j says nothing: %s', (message, isEmpty) => {
  expect(isEmptyMessage(typeof message === 'string' ? message : [...message])).toBe(isEmpty)
})
