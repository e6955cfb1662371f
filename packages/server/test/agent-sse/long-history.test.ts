import { expect, test } from 'vitest'
import { sharedWorld } from '../wire/world.ts'
import { newSessionId } from './sse.ts'

// As much history as a body has room for. The server shares this thread: whatever it stalls is measured here.

const world = sharedWorld()
const CALL = { toolName: 'a', arguments: {} }
const many = <T>(length: number, item: T): T[] => Array.from({ length }, () => item)
const said = (content: string, calls = 0) => ({ role: 'assistant', content, toolCalls: many(calls, CALL) })

/** How many messages of it are kept; `null` where it is refused. */
const LONG: [string, unknown[], number | null][] = [
  ['messages', many(30_000, { role: 'user', content: 'x' }), 200],
  ['calls of one message', [said('first', 20_000)], 0],
  ['calls of many messages', many(600, said('x', 40)), 12],
  ['calls, and newer messages', [said('old', 501), said('new', 1)], 1],
  ['what is no message', many(500_000, 0), null],
  ['what is no call', [{ ...said('x'), toolCalls: many(900, 0) }], null],
]

test.each(LONG)('[S2.0.3] [F1.5.4] %s beyond number stall nobody', async (_what, history, kept) => {
  const sessionId = newSessionId()
  const headers = { prefer: 'respond-async' }
  const body = JSON.stringify({ message: 'go on', sessionId, history })
  const longestHoldMs = watchThread()
  const answer = await world().rest('POST', '/api/agent/chat', { body, headers })
  const heldMs = longestHoldMs()
  expect(answer.status).toBe(kept === null ? 400 : 202)
  expect(heldMs).toBeLessThan(500)
  const path = `/api/agent/sessions/${sessionId}/messages?limit=1000`
  const { body: read } = await world().rest<{ messages?: { id: string; timestamp: string }[] }>('GET', path)
  const earlier = (read.messages ?? []).findIndex((message) => 'content' in message && message.content === 'go on')
  expect(Math.max(0, earlier)).toBe(kept ?? 0)
})

/** The longest that anything held this thread, until it is asked for. In processor time, so that a busy machine changes nothing. */
function watchThread(): () => number {
  let before = process.threadCpuUsage()
  let longest = 0
  const look = () => {
    const { user, system } = process.threadCpuUsage(before)
    before = process.threadCpuUsage()
    longest = Math.max(longest, (user + system) / 1_000)
  }
  const timer = setInterval(look, 5)
  return () => {
    clearInterval(timer)
    look()
    return longest
  }
}
