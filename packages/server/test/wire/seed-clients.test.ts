import { describe, expect, test } from 'vitest'
import type { Chat } from './chat.ts'
import { EveryIncrement, EveryRun, EveryTurn } from './seed-clients.ts'
import { agentCall, askCall, type Lines, sharedWorld, STORES, type World } from './world.ts'

type Flow = { lines: Lines; play: (chat: Chat, world: World) => Promise<unknown> }

const bash = { name: 'Bash', arguments: { command: 'ls' } }

/** Every flow of section 10 that can be had now. */
const FLOWS: Record<string, Flow> = {
  '[W10.1] plain text': {
    lines: { s1: [{ thinking: 'Hm.', text: 'The capital is Paris, 巴黎 🗼.', chunkChars: 2, chunkDelayMs: 2 }] },
    play: (chat) => chat.run('s1'),
  },
  '[W10.2] one tool call': {
    lines: { s2: [{ text: 'Looking.', calls: [bash] }, { text: 'Found.' }] },
    play: (chat) => chat.run('s2'),
  },
  '[W10.3] several rounds': {
    lines: { s3: [{ text: 'a', calls: [bash] }, { text: 'b', calls: [bash] }, { text: 'c' }] },
    play: (chat) => chat.run('s3'),
  },
  '[W10.4] parallel calls': {
    lines: { s4: [{ calls: [bash, { name: 'Break', arguments: { why: 'x' } }, bash] }, { text: 'All.' }] },
    play: (chat) => chat.run('s4'),
  },
  '[W10.5] a question and its answer': {
    lines: { s5: [{ text: 'Which?', calls: [askCall()] }, { text: 'That.' }] },
    play: async (chat) => {
      await chat.run('s5')
      await chat.answer()
    },
  },
  '[W10.5] a question withdrawn': {
    lines: { s5b: [{ text: 'Which?', calls: [askCall()] }], s5c: [{ text: 'Something else.' }] },
    play: async (chat) => {
      await chat.run('s5b')
      await chat.run('s5c')
    },
  },
  '[W10.6] sub-agents': {
    lines: {
      s6: [{ text: 'Two.', calls: [agentCall('s6a'), agentCall('s6b')] }, { text: 'Both.' }],
      s6a: [
        { text: 'left', calls: [bash] },
        { text: 'left done', chunkChars: 1, chunkDelayMs: 2 },
      ],
      s6b: [
        { text: 'right', calls: [agentCall('s6c')] },
        { text: 'right done', chunkChars: 1, chunkDelayMs: 2 },
      ],
      s6c: [{ text: 'deep', chunkChars: 1, chunkDelayMs: 2 }],
    },
    play: (chat) => chat.run('s6'),
  },
  '[W10.7] a sub-agent’s question': {
    lines: {
      s7: [{ text: 'Ask them.', calls: [agentCall('s7a')] }, { text: 'They said.' }],
      s7a: [{ text: 'May I?', calls: [askCall()] }, { text: 'I may.' }],
    },
    play: async (chat) => {
      await chat.run('s7')
      await chat.answer()
    },
  },
  '[W10.8] a stop': {
    lines: { s8: [{ text: 'Once upon', hang: 'after' }], s8b: [{ text: 'The end.' }] },
    play: async (chat) => {
      const ack = await chat.send('s8')
      await chat.told('T1 text: Once upon')
      await chat.stop()
      await chat.ended(ack)
      await chat.run('s8b')
    },
  },
  '[W10.9] a failure': {
    lines: { s9: [{ text: 'Paris is', hangUp: true }] },
    play: (chat) => chat.run('s9'),
  },
  '[W10.12] headless': { lines: { s12: [{ text: 'Paris' }] }, play: (chat) => chat.run('s12', { headless: true }) },
  '[W10.13] structured output': {
    lines: { s13: [{ text: 'Here:', calls: [{ name: 'submit_result', arguments: { a: 1 } }] }] },
    play: (chat) => chat.run('s13', { output_schema: { type: 'object' } }),
  },
  '[W10.14] modes': {
    lines: { s14: [{ text: 'A plan.' }], s14b: [{ text: 'Done.' }] },
    play: async (chat) => {
      await chat.run('s14', { mode: 'planning' })
      await chat.run('s14b', { mode: 'executing' })
    },
  },
  '[W6.11] [W0] an event and a field that they do not know': {
    lines: { s15: [{ text: 'Rate this.' }], s15b: [{ text: 'And on.' }] },
    play: async (chat, world) => {
      await chat.run('s15')
      const [, answer] = await chat.messages()
      const path = `/api/sessions/${chat.session_id}/messages/${answer!.turn_id}/feedback`
      await world.rest('PUT', path, { body: { value: 'dislike', comment: 'Never seen.' } })
      await chat.run('s15b')
    },
  },
}

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)

  test.each(Object.keys(FLOWS))(
    '%s: the three strategies of the specification end with the same text',
    async (name) => {
      const { lines, play } = FLOWS[name]!
      world().learn(lines)
      await using chat = await world().chat()
      const sockets = await Promise.all([0, 1, 2].map(async () => world().chat({ session_id: chat.session_id })))
      await using _clients = new AsyncDisposableStack()
      for (const one of sockets) _clients.use(one)
      const [a, b, c] = sockets.map(({ client }) => client.socket)
      const get = async (path: string) => (await world().rest('GET', path)).body
      const everyIncrement = new EveryIncrement(a!)
      const everyTurn = new EveryTurn(b!)
      const everyRun = new EveryRun(c!, chat.session_id, get)
      await play(chat, world())
      const { last_event_seq } = await chat.session()
      for (const one of sockets)
        await one.until(({ payload }) => payload['event_seq'] === last_event_seq, 'the last event')

      const pages = await Promise.all([everyIncrement.page(), everyTurn.page(), everyRun.page()])
      expect(pages[0].map(({ text }) => text).join('')).not.toBe('')
      expect(pages[0]).toEqual(pages[1])
      expect(pages[1]).toEqual(pages[2])
      const turns = await chat.messages()
      expect(Object.fromEntries(everyIncrement.finished)).toEqual(
        Object.fromEntries(turns.map(({ turn_id, status }) => [turn_id, status])),
      )
      expect(Object.fromEntries(everyIncrement.tools)).toEqual(
        Object.fromEntries(turns.flatMap(({ tool_calls }) => tool_calls.map(({ id, status }) => [id, status]))),
      )
    },
  )
})
