import { textOf, type TurnProjection } from '@parley/protocol'
import type { FakeReply } from '@parley/testkit'
import { expect, test } from 'vitest'
import { expectGrammar } from '../agent-sse/grammar.ts'
import { type Frame, newSessionId, open, textIn } from '../agent-sse/sse.ts'
import { answer as askDragon } from '../onedragon/reader.ts'
import { sharedWorld } from './world.ts'

// Random runs over every protocol: whatever is shown is what is stored, wherever and however often the line was cut.

const RUNS = 24
const world = sharedWorld()

/** The same numbers every time. */
function dice(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const WORDS = ['hello', '你好', '**bold**', '\n\n', '`x`', '🙂', '"quoted"', 'data: ', 'ünï', '\\n', ' ', '世界！']

function randomRun(roll: (below: number) => number): FakeReply[] {
  const text = () => Array.from({ length: 1 + roll(40) }, () => WORDS[roll(WORDS.length)]).join(roll(2) ? ' ' : '')
  const rounds = Array.from({ length: roll(3) }, (): FakeReply => {
    const calls = Array.from({ length: 1 + roll(3) }, (_, index) => ({
      name: 'Glob',
      arguments: { pattern: `${index}*` },
    }))
    return { ...(roll(3) && { text: text() }), ...(roll(3) === 0 && { thinking: text() }), calls }
  })
  return [...rounds, { text: `${text()}.`, ...(roll(2) && { chunkDelayMs: 1 }) }]
}

const said = (turns: readonly TurnProjection[]) =>
  turns.filter(({ role }) => role === 'assistant').map((turn) => textOf(turn))

test.each(Array.from({ length: RUNS }, (_, index) => index))(
  '[D1] [S10] [O9] [O16.4] random run %i reads the same on every face, cut anywhere',
  async (seed) => {
    const roll = dice(seed + 1)
    const [first, second] = [`agree ${seed} a`, `agree ${seed} b`]
    world().learn({ [first]: randomRun(roll), [second]: randomRun(roll) })
    const session_id = await world().newSession()
    await using native = await world().chat({ session_id })

    // Over agent SSE, hanging up after some frames, again and again.
    const body = { message: first, sessionId: session_id, messageId: newSessionId() }
    const events: Frame[] = []
    for (let over = false; !over;) {
      const last = events.at(-1)
      await using stream = await open(world(), body, last ? { headers: { 'last-event-id': last.id } } : {})
      for (let left = 1 + roll(12); left > 0 && !over; left--) {
        const event = await stream.next()
        if (event && event.type !== 'heartbeat') events.push(event)
        over = !event || ['completed', 'error', 'cancelled'].includes(event.type)
      }
    }
    expectGrammar(events)
    expect(events.at(-1)!.type).toBe('completed')
    const afterFirst = said(await world().messages(session_id))
    expect(textIn(events)).toBe(afterFirst.join(''))

    // Over OneDragon: complete messages only, or every update, is the same text.
    const dragon = await askDragon(world(), { user_input: second, session_id })
    const all = said(await world().messages(session_id))
    const completed = dragon.completed().filter(({ role }) => role === 'assistant')
    const texts = completed.map(({ content }) => content.map(({ text = '' }) => text).join(''))
    expect(texts.join('')).toBe(all.slice(afterFirst.length).join(''))
    const newest = new Map(
      dragon.frames.flatMap(({ message }) => (message.role === 'assistant' ? [[message.id, message.content]] : [])),
    )
    expect([...newest.values()]).toEqual(completed.map(({ content }) => content))

    // Over Socket.IO, which has been watching all along.
    const ends = () => native.received.filter(({ name }) => name === 'chat:end').length
    await native.until(() => ends() === 2, 'the end of both runs')
    expect(said(native.fold().turns)).toEqual(all)
  },
)
