import { isDeepStrictEqual } from 'node:util'
import type { PatchMode, SessionEvent } from '@parley/protocol'
import { startTcpProxy, type TcpProxy } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { agentCall, OWNER_KEY, sharedWorld, type World } from '../wire/world.ts'
import { Follower } from './follower.ts'

const CUTS = 200
const CUTS_PER_RUN = 5

const WAYS: { mode: PatchMode; usesSince: boolean }[] = [
  { mode: 'delta', usesSince: true },
  { mode: 'delta', usesSince: false },
  { mode: 'compat', usesSince: true },
  { mode: 'compat', usesSince: false },
]
const RUNS = CUTS / CUTS_PER_RUN / WAYS.length
const AT_ONCE = 5

const world = sharedWorld()

describe.each(WAYS)('$mode, since: $usesSince', ({ mode, usesSince }) => {
  test(
    `[W10.15] [W17.12] cut ${CUTS / WAYS.length} times at random points, the state ends equal to REST${
      usesSince ? ', and no event is lost or doubled' : ''
    }`,
    { timeout: 300_000 },
    async () => {
      learn(world())
      const seed = Date.now() % 1_000_000
      // Side by side, but few at a time: a cut is to hit a run that is under way.
      let inTime = 0
      for (let run = 0; run < RUNS; run += AT_ONCE) {
        const batch = Array.from({ length: AT_ONCE }, (_, index) => seed + run + index)
        for (const count of await Promise.all(batch.map(async (one) => cutRun(one, { mode, usesSince }))))
          inTime += count
      }
      expect(inTime).toBeGreaterThan((CUTS / WAYS.length) * 0.6)
    },
  )
})

/** One run that is cut five times; returns how often that was before its end. */
async function cutRun(seed: number, way: { mode: PatchMode; usesSince: boolean }): Promise<number> {
  const random = randomFrom(seed)
  const session_id = await world().newSession()
  const target = new URL(world().url)
  await using proxy = await startTcpProxy({ host: target.hostname, port: Number(target.port) })
  const options = { key: OWNER_KEY, session_id, messages: () => world().messages(session_id) }
  using witness = new Follower({ ...options, url: world().url, mode: 'delta', usesSince: true })
  using follower = new Follower({ ...options, ...way, url: `http://127.0.0.1:${proxy.port}` })
  await Promise.all([witness, follower].map((one) => one.until(() => one.isCaughtUp, 'the first subscription')))
  await follower.socket.emitWithAck('chat:send', { session_id, message: 'a long story' })
  const inTime = await cutWhileItRuns(follower, proxy, random)

  await witness.until(() => witness.projection.run_id === null && witness.events.length > 0, 'the end')
  const { last_event_seq } = await world().session(session_id)
  await Promise.all([
    witness.until(() => witness.projection.event_seq >= last_event_seq, 'the last event'),
    follower.until(() => follower.isCaughtUp && follower.projection.event_seq >= last_event_seq, 'the last event'),
  ])
  const turns = await world().messages(session_id)
  // Without since the last turns may come over REST, a moment after chat:end.
  const isEqual = () => isDeepStrictEqual(follower.projection.turns, turns)
  await follower.until(isEqual, 'the messages', 5_000).catch(() => undefined)
  const told = `seed ${seed}`
  expect(follower.projection.turns, told).toEqual(turns)
  expect(follower.projection, told).toMatchObject({ needsResync: false, run_id: null })
  expect(follower.gaps, told).toBe(0)
  if (way.usesSince) {
    expect(follower.refused, told).toBe(0)
    expect(follower.events.map(inShort), told).toEqual(witness.events.map(inShort))
  }
  return inTime
}

async function cutWhileItRuns(follower: Follower, proxy: TcpProxy, random: () => number): Promise<number> {
  let inTime = 0
  for (let cut = 0; cut < CUTS_PER_RUN; cut++) {
    // A few events after the last connection, or right in the middle of catching up.
    const { length } = follower.events
    const after = Math.floor(random() * 5)
    await follower.until(() => follower.events.length >= length + after || isOver(follower), 'some events')
    const { connections } = follower
    if (!isOver(follower)) inTime += 1
    proxy.cut()
    await follower.until(() => follower.connections > connections, 'another connection')
    if (random() < 0.7) await follower.until(() => follower.isCaughtUp, 'catching up')
  }
  return inTime
}

const isOver = ({ events }: Follower) => events.some(({ name }) => name === 'chat:end')

/** Text, tools, a sub-agent and text again: about fifty events in a second. */
function learn(here: World): void {
  if (here.provider.requests.length > 0) return
  const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(' ')
  here.learn({
    'a long story': [
      {
        text: words(12),
        chunkDelayMs: 15,
        calls: ['a', 'b', 'c'].map((command) => ({ name: 'Bash', arguments: { command } })),
      },
      {
        thinking: words(5),
        text: words(5),
        chunkDelayMs: 15,
        calls: [agentCall('a part of it'), agentCall('a part of it')],
      },
      { text: words(20), chunkDelayMs: 15 },
    ],
    'a part of it': [
      { text: words(8), chunkDelayMs: 15, calls: [{ name: 'Bash', arguments: { command: 'd' } }] },
      { text: words(8), chunkDelayMs: 15 },
    ],
  })
}

/** Everything of an event but what a patch mode may add. */
function inShort({ name, payload }: SessionEvent): string {
  if (name !== 'turn:patch') return `${payload.event_seq} ${name}`
  const { turn: _turn, content, ...data } = payload.data as Record<string, unknown>
  const kept = 'text_delta' in data ? data : { ...data, content }
  return `${payload.event_seq} ${name} ${payload.turn_id} ${payload.sequence} ${payload.patch_type} ${JSON.stringify(kept)}`
}

/** The same numbers for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
