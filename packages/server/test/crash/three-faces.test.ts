import { textOf } from '@parley/protocol'
import { expect, test } from 'vitest'
import { ask as askAgent, type Frame, open, textIn } from '../agent-sse/sse.ts'
import { answer as askDragon } from '../onedragon/reader.ts'
import type { World } from '../wire/world.ts'
import { type Arena, freePort, KEY, openArena, watch } from './arena.ts'
import { FINAL } from './conversation.ts'

async function startOne(arena: Arena) {
  const port = await freePort()
  return { server: await arena.start({ port }), url: `http://127.0.0.1:${port}` }
}

test(
  '[D1] [D3] one session, three protocols, two instances, one of them killed: all see the same conversation',
  { timeout: 300_000 },
  async () => {
    await using arena = await openArena('postgres')
    const survivor = await startOne(arena)
    const victim = await startOne(arena)
    const token = KEY
    const sessionId = await arena.newSession(victim.url)
    using native = watch(() => survivor.url, sessionId)
    // Two observers: one on each instance. The one whose instance dies goes on at the other.
    await using observer = await open(survivor, null, { token, path: `/api/agent/chat/stream?sessionId=${sessionId}` })
    const observed = collect(observer)

    const dragon = await askDragon(victim as unknown as World, { user_input: 'one', session_id: sessionId }, { token })
    expect(dragon.completed().map(({ content }) => content[0]!.text)).toEqual(['You said one'])

    const body = { message: 'work three', sessionId, messageId: 'm2' }
    await using stream = await open(victim, body, { token })
    for (let chunks = 0; chunks < 5;) if ((await stream.next())?.type === 'content_chunk') chunks += 1
    victim.server.signal('SIGKILL')
    const seen = [...stream.events]
    await using again = await open(survivor, body, { token, headers: { 'last-event-id': seen.at(-1)!.id } })
    const told = [...seen, ...(await again.all())]

    const third = await askAgent(survivor, { message: 'three', sessionId, messageId: 'm3' }, { token })
    const last = await askDragon(survivor as unknown as World, { user_input: 'four', session_id: sessionId }, { token })
    expect(last.completed().at(-1)!.content[0]!.text).toBe('You said four')
    await native.until(({ turns, status }) => status === 'completed' && textOf(turns.at(-1)!) === 'You said four')
    await observed.until((events) => textIn(events).endsWith('You said four') && events.at(-1)?.type === 'completed')

    const stored = await native.messages()
    const words = stored.filter(({ role, loop_id }) => role === 'assistant' && loop_id === 'root').map(textOf)
    expect(native.projection.turns.filter(({ role }) => role === 'assistant').map(textOf)).toEqual(words)
    expect(textIn(observed.events)).toBe(words.join(''))
    expect(textIn(told) + textIn(third)).toBe(words.slice(1, -1).join(''))
    expect(words.filter((text) => text === FINAL)).toHaveLength(1)
    // Whoever follows the session sees what whoever asked was told.
    const ids = (events: readonly Frame[]) => events.filter(({ type }) => type !== 'heartbeat').map(({ id }) => id)
    expect(ids(observed.events)).toEqual(expect.arrayContaining(ids([...told, ...third])))
  },
)

/** Reads on, whatever comes. */
function collect(stream: Awaited<ReturnType<typeof open>>) {
  const waiting = new Set<() => void>()
  const reading = (async () => {
    while (await stream.next()) for (const wake of waiting) wake()
  })()
  reading.catch(() => undefined)
  return {
    events: stream.events,
    async until(fits: (events: readonly Frame[]) => boolean): Promise<void> {
      while (!fits(stream.events)) {
        const { promise, resolve } = Promise.withResolvers<void>()
        waiting.add(resolve)
        await Promise.race([promise, reading])
        waiting.delete(resolve)
      }
    },
  }
}
