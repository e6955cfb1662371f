import { describe, expect, test } from 'vitest'
import { agUi } from '../src/adapters/ag-ui/ag-ui.ts'
import { agUiCore } from '../src/adapters/ag-ui/ag-ui-core.ts'
import { applyJsonPatch } from '../src/adapters/ag-ui/json-patch.ts'
import { openChat, shape } from './chat.ts'
import { frames, startStandIn, trickle } from './stand-in.ts'
import { playAllWays } from './vectors.ts'

const started = { type: 'RUN_STARTED', threadId: 'th', runId: 'r' }
const finished = { type: 'RUN_FINISHED', threadId: 'th', runId: 'r' }
const A1 = [
  started,
  { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant' },
  { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'Go' },
  { type: 'TOOL_CALL_START', toolCallId: 'k', toolCallName: 'f' },
  { type: 'TOOL_CALL_ARGS', toolCallId: 'k', delta: '{"a":' },
  { type: 'TOOL_CALL_ARGS', toolCallId: 'k', delta: '1}' },
  { type: 'TOOL_CALL_END', toolCallId: 'k' },
  { type: 'TOOL_CALL_RESULT', messageId: 'x', toolCallId: 'k', content: 'ok' },
  { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: ' on' },
  { type: 'TEXT_MESSAGE_END', messageId: 'm' },
  finished,
]

describe('the event core', () => {
  test('[KA1] the key decides, not the position', async () => {
    expect(await playAllWays(agUiCore(), frames(...A1))).toMatchObject({
      blocks: [
        ['Markdown', 'Go on'],
        ['Tool', { id: 'k', name: 'f', title: 'f', input: { a: 1 }, output: 'ok', status: 'done' }],
      ],
      conversation: 'th',
      end: 'completed',
    })
  })

  test('[K20.4] chunks, reasoning, hidden roles, steps and activities', async () => {
    const events = [
      started,
      { type: 'STEP_STARTED', stepName: 'plan' },
      { type: 'THINKING_TEXT_MESSAGE_CONTENT', delta: 'hm' },
      { type: 'TEXT_MESSAGE_START', messageId: 'd', role: 'developer' },
      { type: 'TEXT_MESSAGE_CONTENT', messageId: 'd', delta: 'secret' },
      { type: 'TEXT_MESSAGE_CHUNK', messageId: 'm', delta: 'a' },
      { type: 'TEXT_MESSAGE_CHUNK', delta: 'b' },
      { type: 'TOOL_CALL_CHUNK', toolCallId: 'k', toolCallName: 'f', delta: '{' },
      { type: 'TOOL_CALL_CHUNK', delta: '}' },
      { type: 'ACTIVITY_SNAPSHOT', messageId: 'p', activityType: 'PLAN', content: { steps: [] } },
      {
        type: 'ACTIVITY_DELTA',
        messageId: 'p',
        activityType: 'PLAN',
        patch: [{ op: 'add', path: '/steps/-', value: 1 }],
      },
      { type: 'NEWER', x: 1 },
      { ...finished, usage: [{ inputTokens: 2, outputTokens: 3 }, { totalTokens: 5 }] },
    ]
    const activities = { PLAN: (content: unknown) => ({ type: 'Plan', content }) }
    const { blocks, context } = await playAllWays(agUiCore({ showSteps: true, activities }), frames(...events))
    expect(blocks).toMatchObject([
      ['Notice', { text: 'plan' }],
      ['Reasoning', { text: 'hm' }],
      ['Markdown', 'ab'],
      ['Tool', { name: 'f', input: '{}' }],
      ['Plan', { steps: [1] }],
    ])
    expect(context).toEqual({ totalTokens: 10 })
  })

  test('[K20.4] an interrupt is a question or a confirmation; an error is an error; a cut is a cut', async () => {
    const interrupts = [
      { id: 'i1', reason: 'input_required', message: 'Which?' },
      { id: 'i2', reason: 'tool_call', message: 'Delete?', toolCallId: 'k' },
    ]
    const waiting = frames(started, { ...finished, outcome: { type: 'interrupt', interrupts } })
    expect(await playAllWays(agUiCore(), waiting)).toMatchObject({
      blocks: [
        ['Question', { questionID: 'i1', state: 'waiting' }],
        ['Confirmation', { confirmationId: 'i2', state: 'waiting' }],
      ],
      end: 'completed',
    })
    expect(
      await playAllWays(agUiCore(), frames(started, { type: 'RUN_ERROR', message: 'x', code: 'E1' })),
    ).toMatchObject({
      error: { code: 'server', platformCode: 'E1' },
    })
    expect(await playAllWays(agUiCore(), frames(...A1.slice(0, 4)))).toMatchObject({ error: { code: 'network' } })
  })
})

test.each([
  [{ a: 1 }, [{ op: 'replace', path: '/a', value: 2 }], { a: 2 }],
  [{ a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
  [{ a: [1, 2] }, [{ op: 'remove', path: '/a/0' }], { a: [2] }],
  [{ 'x/y': { '~': 1 } }, [{ op: 'move', from: '/x~1y/~0', path: '/z' }], { 'x/y': {}, z: 1 }],
  [{ a: { b: 1 } }, [{ op: 'copy', from: '/a/b', path: '/c' }], { a: { b: 1 }, c: 1 }],
  [undefined, [{ op: 'add', path: '', value: [1] }], [1]],
])('[K20.4] JSON Patch: %j with %j is %j', (before, patch, after) => {
  expect(applyJsonPatch(before, patch)).toEqual(after)
})

describe('against a server', () => {
  test('[K20.4] thread, context and shared state go out; custom events reach the host once each', async () => {
    const events = [
      started,
      { type: 'STATE_SNAPSHOT', snapshot: { n: 1 } },
      { type: 'STATE_DELTA', delta: [{ op: 'replace', path: '/n', value: 2 }] },
      { type: 'CUSTOM', name: 'map.show', value: { at: 1 } },
      ...A1.slice(1),
    ]
    await using server = await startStandIn((_, response) => trickle(response, frames(...events)))
    const states: unknown[] = []
    const bridges: unknown[] = []
    using chat = openChat({
      adapter: agUi({ url: server.url, onState: (state) => states.push(state), state: () => ({ n: 0 }) }),
      onBridge: (action, payload) => bridges.push([action, payload]),
    })
    await chat.send('hi', { context: { title: 'T', data: { a: 1 } } })
    expect(server.requests[0]?.body).toMatchObject({
      threadId: chat.getSnapshot().conversationID,
      messages: [{ role: 'user', content: 'hi' }],
      context: [{ description: 'T', value: '{"a":1}' }],
      state: { n: 0 },
      tools: [],
    })
    expect(states).toEqual([{ n: 1 }, { n: 2 }])
    expect(bridges).toEqual([['map.show', { at: 1 }]])
    await chat.send('again')
    expect(bridges).toHaveLength(2)
  })

  test('[K20.4] a snapshot that lists a message whose run failed shows it once', async () => {
    const failed = { type: 'RUN_ERROR', message: 'down' }
    await using server = await startStandIn(({ body }, response) => {
      const { messages } = body as { messages: unknown[] }
      const rest = messages.length === 1 ? [failed] : [{ type: 'MESSAGES_SNAPSHOT', messages }, ...A1.slice(1)]
      return trickle(response, frames(started, ...rest))
    })
    using chat = openChat({ adapter: agUi({ url: server.url }) })
    await expect(chat.send('first')).rejects.toMatchObject({ code: 'server' })
    await chat.send('second')
    const texts = chat.getSnapshot().messages.map((message) => shape(message)[0])
    expect(texts.filter((text) => JSON.stringify(text) === '["Text","first"]')).toHaveLength(1)
  })

  test('[K20.4] a snapshot of the messages replaces the list, and the answer goes on', async () => {
    const snapshot = {
      type: 'MESSAGES_SNAPSHOT',
      messages: [
        { id: 'u0', role: 'user', content: 'earlier' },
        {
          id: 'a0',
          role: 'assistant',
          content: 'Yes',
          toolCalls: [{ id: 'k0', function: { name: 'f', arguments: '{}' } }],
        },
        { id: 't0', role: 'tool', toolCallId: 'k0', content: 'ok' },
        { id: 'u1', role: 'user', content: 'hi' },
      ],
    }
    await using server = await startStandIn((_, response) =>
      trickle(response, frames(started, snapshot, ...A1.slice(1))),
    )
    using chat = openChat({ adapter: agUi({ url: server.url }) })
    await chat.send('hi')
    expect(
      chat
        .getSnapshot()
        .messages.map(({ messageID }) => messageID)
        .slice(0, 3),
    ).toEqual(['u0', 'a0', 'u1'])
    expect(chat.getSnapshot().messages.map(shape)).toMatchObject([
      [['Text', 'earlier']],
      [
        ['Markdown', 'Yes'],
        ['Tool', { output: 'ok', status: 'done' }],
      ],
      [['Text', 'hi']],
      [
        ['Markdown', 'Go on'],
        ['Tool', {}],
      ],
    ])
  })

  test('[K20.4] an answered interrupt goes out as resume', async () => {
    const interrupts = [{ id: 'i2', reason: 'tool_call', message: 'Delete?' }]
    await using server = await startStandIn(({ body }, response) =>
      trickle(
        response,
        (body as { resume?: unknown }).resume
          ? frames(...A1)
          : frames(started, { ...finished, outcome: { type: 'interrupt', interrupts } }),
      ),
    )
    using chat = openChat({ adapter: agUi({ url: server.url }) })
    await chat.send('hi')
    await chat.answerConfirmation({ confirmationId: 'i2', approved: false })
    expect(server.requests[1]?.body).toMatchObject({ resume: [{ interruptId: 'i2', status: 'cancelled' }] })
    expect(chat.getSnapshot().messages.at(-1)).toMatchObject({ status: 'completed' })
  })
})
