import type { FakeChoice } from '@parley/testkit'
import { expect, test } from 'vitest'
import { expectGrammar } from '../agent-sse/grammar.ts'
import { ask, dataOf, inShort, open, pendingIn, textIn } from '../agent-sse/sse.ts'
import { type Arena, freePort, KEY, openArena } from './arena.ts'
import { FINAL } from './conversation.ts'

const token = KEY

async function startOne(arena: Arena, death: Omit<Parameters<Arena['start']>[0], 'port'> = {}) {
  const port = await freePort()
  return { server: await arena.start({ port, ...death }), url: `http://127.0.0.1:${port}` }
}

test(
  '[D3] [S10.3] killed in the middle of its last answer, the stream goes on elsewhere: the cut iteration is closed, and told again',
  { timeout: 120_000 },
  async () => {
    await using arena = await openArena('postgres')
    const survivor = await startOne(arena)
    const victim = await startOne(arena)
    const body = { message: 'work sse', sessionId: 'session_killed', messageId: 'm1' }
    await using stream = await open(victim, body, { token })
    for (let chunks = 0; chunks < 5;) {
      const event = await stream.next()
      if (event?.type === 'content_chunk' && stream.events.some(({ data }) => data['iteration'] === 3)) chunks += 1
    }
    const seen = [...stream.events]
    victim.server.signal('SIGKILL')
    await using again = await open(survivor, body, { token, headers: { 'last-event-id': seen.at(-1)!.id } })
    const events = [...seen, ...(await again.all())]
    expectGrammar(events)
    const cut = events.find(({ data }) => data['interrupted'] === true)!
    expect(cut).toMatchObject({ type: 'iteration_completed', data: { iteration: 3, interrupted: true } })
    const after = events.slice(events.indexOf(cut) + 1)
    expect(after[0]).toMatchObject({ type: 'iteration_started', data: { iteration: 3 } })
    expect(textIn(after)).toBe(FINAL)
    expect(dataOf(events, 'completed')).toMatchObject({ messageId: 'm1', iterations: 3, toolCalls: 5 })
    // Whoever reads it all from the beginning reads the same.
    expect(await ask(survivor, body, { token })).toEqual(events)
  },
)

test(
  '[S18.8] [S8.5.5] a confirmation outlives its instance, and consent given elsewhere runs the tool once',
  { timeout: 120_000 },
  async () => {
    await using arena = await openArena('postgres')
    const survivor = await startOne(arena)
    const victim = await startOne(arena)
    const sessionId = 'session_waits'
    const pendingConfirmation = pendingIn(await ask(victim, { message: 'risky sse', sessionId }, { token }))
    victim.server.signal('SIGKILL')
    await victim.server.exited
    const events = await ask(survivor, { message: '确认', sessionId, pendingConfirmation }, { token })
    expectGrammar(events)
    expect(textIn(events)).toBe(FINAL)
    expect(arena.marks().get('risky sse')).toBe(1)
  },
)

/** One call that takes its time, then the last words. */
const lingering: FakeChoice = ({ question, results }) =>
  results.length === 0
    ? { text: 'One moment.', calls: [{ name: 'Linger', arguments: { mark: question } }] }
    : { text: FINAL }

test.each(['sqlite', 'postgres'] as const)(
  '[D3] [S5.3] [S8.5.5] killed in the middle of a tool call that must not be repeated: it ends as an error, its outcome unknown, and the run goes on (%s)',
  { timeout: 120_000 },
  async (kind) => {
    await using arena = await openArena(kind, lingering)
    const victim = await startOne(arena)
    const body = { message: 'linger sse', sessionId: 'session_lingers', messageId: 'm1' }
    await using stream = await open(victim, body, { token })
    const { toolCallId } = (await stream.until('tool_call_started')).data
    await victim.server.line(/^lingers 2$/)
    const seen = [...stream.events]
    victim.server.signal('SIGKILL')
    await victim.server.exited
    const survivor = await startOne(arena)
    await using again = await open(survivor, body, { token, headers: { 'last-event-id': seen.at(-1)!.id } })
    const events = [...seen, ...(await again.all())]
    expectGrammar(events)
    expect(dataOf(events, 'tool_error')).toEqual({
      ...{ toolCallId, toolName: 'Linger', recoverable: true },
      error: expect.stringContaining('outcome unknown'),
    })
    expect(inShort(events).filter((type) => type !== 'content_chunk')).toEqual([
      ...['processing_started', 'confirmation_check', 'iteration_started{1}', 'tool_call_started', 'tool_error'],
      ...['iteration_completed{1}', 'iteration_started{2}', 'decision', 'iteration_completed{2}', 'completed'],
    ])
    expect(textIn(events)).toBe(`One moment.${FINAL}`)
    expect(dataOf(events, 'completed')).toMatchObject({ iterations: 2, toolCalls: 1 })
    expect(arena.marks().get('linger sse')).toBe(1)
    // Whoever reads it all again is told the same.
    expect(await ask(survivor, body, { token })).toEqual(events)
  },
)
