import { textOf } from '@parley/protocol'
import type { FakeChoice, NodeProcess } from '@parley/testkit'
import { io } from 'socket.io-client'
import { describe, expect, test } from 'vitest'
import { setDatabaseClock } from '../store/movable-clock.ts'
import { type Arena, freePort, KEY, openArena, watch } from './arena.ts'
import { checkEnd } from './checks.ts'
import type { Witness } from './witness.ts'

/** Long enough for a busy machine to keep it. */
const LEASE_MS = 4_000
const HOUR = 3_600_000
const DAY = 24 * HOUR
/** No two alike: each is acknowledged by its number. */
const JUMPS = [HOUR, -HOUR, 10 * DAY, -10 * DAY, 2_000, -2_000, 365 * DAY, 1]

const WORDS = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ')

/** Speaks, works and asks for several leases each, so that clocks can jump in the middle of it. */
const slowly: FakeChoice = ({ question, results }) => {
  if (results.length > 0) return { text: 'Done.' }
  if (question.startsWith('text')) return { text: WORDS, chunkDelayMs: 60 }
  const work = { name: 'Linger', arguments: { mark: question } }
  if (question.startsWith('tool')) return { calls: [work] }
  // The run has its owner while the question waits: something else of the same answer is under way.
  const questions = [{ question: 'Which?', options: [{ label: 'this' }, { label: 'that' }] }]
  return { text: 'A question.', calls: [{ name: 'AskUserQuestion', arguments: { questions } }, work] }
}

type Instance = { server: NodeProcess; url: string; port: number }

describe.each(['sqlite', 'postgres'] as const)('[D3] a clock that jumps, on %s', (kind) => {
  test.each(['text', 'tool', 'question'] as const)(
    'in the middle of a %s: its run has one owner, goes on, and does nothing twice',
    { timeout: 300_000 },
    async (moment) => {
      await using world = await openWorld(kind)
      const { arena, instances, setClocks } = world
      const { server, url } = instances[0]!
      const session_id = await arena.newSession(url)
      using witness = watch(() => instances.at(-1)!.url, session_id)
      using sender = watch(() => url, session_id)
      await sender.send({ message: moment, client_message_id: 'm1' })
      for (const [step, ms] of JUMPS.entries()) {
        await reached({ witness, server }, moment, 2 * step + 1)
        await setClocks(ms)
      }
      if (moment === 'question') {
        await witness.until(({ pending_question }) => pending_question !== null)
        const { tool_call_id } = witness.projection.pending_question!
        await witness.send({ message: '', askuser_answer: { tool_call_id, selections: { '0': [0] }, custom: {} } })
      }
      await witness.until(({ status }) => status === 'completed')
      await checkEnd(witness)
      expect(witness.seen, 'no run:recovered').not.toContain('system:notification')
      const turns = await witness.messages()
      expect(textOf(turns.at(-1)!)).toBe(moment === 'text' ? WORDS : 'Done.')
      expect(turns.flatMap(({ tool_calls }) => tool_calls).filter(({ status }) => status !== 'done')).toEqual([])
      if (moment !== 'text') expect(arena.marks()).toEqual(new Map([[moment, 1]]))
    },
  )
})

test.each([10 * DAY, -10 * DAY])(
  '[D3] a run whose owner dies while clocks jump by %i ms is taken over within lease + 1 s',
  { timeout: 300_000 },
  async (ms) => {
    await using world = await openWorld('postgres')
    const { arena, instances, setClocks } = world
    const [victim, survivor] = instances as [Instance, Instance]
    const session_id = await arena.newSession(victim.url)
    using witness = watch(() => survivor.url, session_id)
    using sender = watch(() => victim.url, session_id)
    await sender.send({ message: 'tool', client_message_id: 'm1' })
    await victim.server.line(/^lingers 3$/)
    victim.server.signal('SIGKILL')
    const diedAt = performance.now()
    await setClocks(ms, [survivor])
    await witness.until(() => witness.seen.includes('system:notification'))
    // A busy machine gets as much again.
    expect(performance.now() - diedAt).toBeLessThan(2 * (LEASE_MS + 1_000))
    await witness.until(({ status }) => status === 'completed')
    const calls = (await witness.messages()).flatMap(({ tool_calls }) => tool_calls)
    expect(calls).toMatchObject([{ status: 'error', result: expect.stringMatching(/^outcome unknown/) as string }])
    expect(arena.marks()).toEqual(new Map([['tool', 1]]))
  },
)

test(
  '[D3] what a freeze of the only server cut off is of unknown outcome, not stopped by a shutdown',
  { timeout: 300_000 },
  async () => {
    await using world = await openWorld('sqlite')
    const { server, url } = world.instances[0]!
    const session_id = await world.arena.newSession(url)
    using witness = watch(() => url, session_id)
    await witness.send({ message: 'tool', client_message_id: 'm1' })
    await server.line(/^lingers 2$/)
    server.signal('SIGSTOP')
    await server.frozen()
    await new Promise((resolve) => setTimeout(resolve, LEASE_MS + 200)) // nothing but time makes a lease old
    server.signal('SIGCONT')
    await witness.until(({ status }) => status === 'completed')
    const turns = await witness.messages()
    expect(turns.flatMap(({ tool_calls }) => tool_calls)).toMatchObject([
      { status: 'error', result: expect.stringMatching(/^outcome unknown/) as string },
    ])
    expect(JSON.stringify(turns)).not.toContain('shutdown')
    expect(world.arena.marks()).toEqual(new Map([['tool', 1]]))
  },
)

test(
  '[D3] a clock that is set back holds nothing up: snapshots of text go on, and so does a minute of waiting',
  { timeout: 300_000 },
  async () => {
    await using world = await openWorld('sqlite')
    const { arena, instances, setClocks } = world
    const { url } = instances[0]!
    const session_id = await arena.newSession(url)
    const socket = io(url, { auth: { token: KEY, patch_mode: 'sync' }, transports: ['websocket'], forceNew: true })
    try {
      const seen: string[] = []
      const { promise: isOver, resolve: over } = Promise.withResolvers<void>()
      socket.onAny((name: string) => seen.push(name))
      socket.once('chat:end', over)
      const { promise: hasBegun, resolve: begun } = Promise.withResolvers<void>()
      socket.on('turn:patch', begun)
      await socket.emitWithAck('session:subscribe', { session_id })
      await socket.emitWithAck('chat:send', { session_id, message: 'text' })
      await hasBegun
      await setClocks(-HOUR)
      const before = seen.length
      await isOver
      expect(seen.slice(before).filter((name) => name === 'turn:patch').length).toBeGreaterThan(3)
    } finally {
      socket.disconnect()
    }

    const signIn = () => fetch(`${url}/api/sessions`, { headers: { authorization: 'Bearer wrong' } })
    let reply = await signIn()
    while (reply.status === 401) reply = await signIn()
    expect(reply.status).toBe(429)
    await setClocks(-2 * HOUR)
    expect(Number((await signIn()).headers.get('retry-after'))).toBeLessThanOrEqual(60)
  },
)

/** One server on SQLite, two on PostgreSQL, and all clocks that they have. */
async function openWorld(kind: 'sqlite' | 'postgres') {
  const arena = await openArena(kind, slowly)
  const instances: Instance[] = []
  for (let count = kind === 'sqlite' ? 1 : 2; count > 0; count--) instances.push(await startServer(arena))
  return {
    arena,
    instances,
    async setClocks(ms: number, of = instances) {
      if (arena.databaseUrl) await setDatabaseClock(arena.databaseUrl, ms)
      for (const { port, server } of of) await arena.setClock(port, server, ms)
    },
    async [Symbol.asyncDispose]() {
      if (arena.databaseUrl) await setDatabaseClock(arena.databaseUrl, 0)
      await arena[Symbol.asyncDispose]()
    },
  }
}

async function startServer(arena: Arena): Promise<Instance> {
  const port = await freePort()
  return { server: await arena.start({ port, options: { leaseMs: LEASE_MS } }), url: `http://127.0.0.1:${port}`, port }
}

/** So far into the answer, or the work, that another look for what nobody keeps has come between this step and the last. */
async function reached(
  { witness, server }: { witness: Witness; server: NodeProcess },
  moment: string,
  step: number,
): Promise<void> {
  if (moment !== 'text') await server.line(new RegExp(`^lingers ${step}$`))
  else await witness.until(({ turns }) => turns.length > 1 && textOf(turns.at(-1)!).includes(`word${3 * step}`))
}
