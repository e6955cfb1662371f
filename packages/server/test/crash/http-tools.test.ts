import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Confirmation } from '@parley/protocol'
import type { NodeProcess } from '@parley/testkit'
import pg from 'pg'
import { expect, test } from 'vitest'
import type { ServerOptions } from '../../src/config/options.ts'
import type { Point } from '../../src/runs/points.ts'
import type { HttpToolOptions } from '../../src/tools/http/config.ts'
import { callBack, json, later, Receiver } from '../tools/http/receiver.ts'
import { toolOf } from '../tools/http/rig.ts'
import { type Arena, freePort, KEY, openArena, watch } from './arena.ts'
import { checkEnd } from './checks.ts'
import { caller } from './real-tools.ts'

// Servers that die while a backend does something for them. The backend counts: how often it was asked, and what it did.

const KINDS = ['sqlite', 'postgres'] as const
const UNKNOWN = 'outcome unknown: the server stopped while this was running'
const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }

/** A death, what becomes of a call that must not be repeated, and how often the backend was asked for such a one and for the others. */
const DEATHS: [Point, 'done' | 'error', { never: number; again: number }][] = [
  ['before:C5', 'done', { never: 1, again: 1 }],
  ['after:C5', 'error', { never: 0, again: 1 }],
  ['before:C6', 'error', { never: 1, again: 2 }],
  ['after:C6', 'done', { never: 1, again: 1 }],
]
const REPLAYS = ['keyed', 'never', 'safe'] as const

test.each(KINDS)(
  '[W12.11.6] [DC5] [DC6] %s: killed around C5 and C6, a keyed call is done exactly once, a never call once at most and reported',
  { timeout: 900_000 },
  async (kind) => {
    await using backend = await Backend.start()
    await using arena = await openArena(kind, caller)
    const options = backend.options(arena, Object.fromEntries(REPLAYS.map((replay) => [replay, { replay }])))
    let victim = await start(arena, { options })
    for (const [kill, status, asked] of DEATHS) {
      arena.order(victim.port, { kill, nth: REPLAYS.length, holds: true })
      const begun = await Promise.all(REPLAYS.map((tool) => begin(arena, victim, tool)))
      expect(await victim.server.exited, kill).toBe('SIGKILL')
      // On PostgreSQL another instance takes over, when the lease is over; on SQLite the same server comes back.
      const next = await start(arena, { ...(kind === 'sqlite' && { port: victim.port }), options })
      for (const { tool, session_id } of begun) {
        const call = await endOf(next, session_id)
        const what = `${kill} ${tool}: ${JSON.stringify(call.result)}`
        const seen = backend.of(session_id)
        expect(new Set(seen.ids).size, what).toBeLessThanOrEqual(1)
        expect(seen.isSigned, what).toBe(true)
        expect(seen.ids.length, what).toBe(tool === 'never' ? asked.never : asked.again)
        if (tool === 'never') expect([call.status, seen.done], what).toEqual([status, asked.never])
        else expect(call.status, what).toBe('done')
        if (tool === 'keyed') expect([call.result, seen.done], what).toEqual(['done 1 times', 1])
        if (call.status === 'error') expect(call.result, what).toBe(UNKNOWN)
      }
      victim = next
    }
  },
)

test.each(KINDS)(
  '[W12.11.6] [DC7] [DC8] %s: killed around C7 and C8, a call of high risk is asked for once and done once, as approved',
  { timeout: 900_000 },
  async (kind) => {
    await using backend = await Backend.start()
    await using arena = await openArena(kind, caller)
    const options = backend.options(arena, {
      keyed: { replay: 'keyed', risk: 'high' },
      never: { requiresConfirmation: true },
    })
    const tools = ['keyed', 'never']
    let victim = await start(arena, { options })
    for (const kill of ['before:C7', 'after:C7', 'before:C8', 'after:C8'] as const) {
      arena.order(victim.port, { kill, nth: tools.length, holds: true })
      const begun = await Promise.all(tools.map((tool) => begin(arena, victim, tool)))
      if (kill.endsWith('C8'))
        for (const { session_id } of begun) {
          using witness = watch(() => victim.url, session_id)
          await witness.until(({ pending_question }) => pending_question !== null)
          void approve(victim.url, session_id).catch(() => undefined)
        }
      expect(await victim.server.exited, kill).toBe('SIGKILL')
      const next = await start(arena, { ...(kind === 'sqlite' && { port: victim.port }), options })
      for (const { tool, session_id } of begun) {
        using witness = watch(() => next.url, session_id)
        await witness.until(({ pending_question, status }) => pending_question !== null || status === 'completed')
        // Whoever got no answer asks again; a decision that was stored is told, not taken twice.
        if (witness.projection.pending_question) expect([200, 409]).toContain(await approve(next.url, session_id))
        const call = await endOf(next, session_id)
        const what = `${kill} ${tool}: ${JSON.stringify(call.result)}`
        expect([call.status, backend.of(session_id).done], what).toEqual(['done', 1])
        expect((await confirmations(next.url, session_id)).map(({ status }) => status)).toEqual(['approved'])
      }
      victim = next
    }
  },
)

test.each(KINDS)(
  '[W12.11.6] %s: killed while a call is out that was accepted, the next server waits for its call back and asks nobody again',
  { timeout: 900_000 },
  async (kind) => {
    await using backend = await Backend.start()
    await using arena = await openArena(kind, caller)
    const tools = { later: {}, risky: { risk: 'high' as const }, keyed: { replay: 'keyed' as const } }
    const options = backend.options(arena, tools)
    for (const name of Object.keys(tools)) backend.receiver.replies[name] = later
    const victim = await start(arena, { options })
    const begun = await Promise.all(Object.keys(tools).map((tool) => begin(arena, victim, tool)))
    for (const { tool, session_id } of begun) {
      if (tool !== 'risky') continue
      using witness = watch(() => victim.url, session_id)
      await witness.until(({ pending_question }) => pending_question !== null)
      expect(await approve(victim.url, session_id)).toBe(200)
    }
    for (const { tool } of begun) await backend.receiver.until(tool)
    await expect.poll(() => acceptedIn(arena)).toBe(begun.length)
    victim.server.signal('SIGKILL')
    await victim.server.exited
    const next = await start(arena, { ...(kind === 'sqlite' && { port: victim.port }), options })
    for (const { tool, session_id } of begun) {
      const [call_id] = backend.of(session_id).ids
      const url = `${next.url}/api/tool-calls/${call_id}/result`
      // On PostgreSQL it comes before anybody has taken the run over.
      expect(await callBack(url, { result: `${tool} is ready` })).toEqual({ status: 204 })
      expect(await callBack(url, { result: `${tool} is ready` })).toEqual({ status: 204 })
      expect(await callBack(url, { result: 'something else' })).toEqual({ status: 409, code: 'already_decided' })
      const call = await endOf(next, session_id)
      expect(call, tool).toMatchObject({ status: 'done', result: `${tool} is ready` })
      expect(backend.of(session_id).ids).toHaveLength(1)
    }
  },
)

test(
  '[W12.11.6] killed after a call back was stored and before its result was, the result is not lost',
  { timeout: 900_000 },
  async () => {
    await using backend = await Backend.start()
    await using arena = await openArena('sqlite', caller)
    const options = backend.options(arena, { later: {} })
    backend.receiver.replies['later'] = later
    const victim = await start(arena, { options })
    arena.order(victim.port, { kill: 'before:C6' })
    const { session_id } = await begin(arena, victim, 'later')
    const { callback_url } = (await backend.receiver.until('later')).body
    expect(await callBack(callback_url, { result: 'kept' })).toEqual({ status: 204 })
    expect(await victim.server.exited).toBe('SIGKILL')
    const next = await start(arena, { port: victim.port, options })
    expect(await endOf(next, session_id)).toMatchObject({ status: 'done', result: 'kept' })
    expect(backend.of(session_id).ids).toHaveLength(1)
  },
)

/** Does a keyed call once and keeps what came of it; the others as often as it is asked. */
class Backend implements AsyncDisposable {
  readonly receiver: Receiver
  /** How often each call was done. */
  readonly #deeds = new Map<string, number>()

  constructor(receiver: Receiver) {
    this.receiver = receiver
    for (const tool of REPLAYS)
      receiver.replies[tool] = (response, posted) => {
        const { call_id } = posted.body
        const before = this.#deeds.get(call_id) ?? 0
        const times = tool === 'keyed' && before > 0 ? before : before + 1
        this.#deeds.set(call_id, times)
        void json({ result: `done ${times} times` })(response, posted)
      }
  }

  static async start(): Promise<Backend> {
    return new Backend(await Receiver.start())
  }

  options({ kind }: Arena, tools: Record<string, Partial<HttpToolOptions>>): ServerOptions {
    const httpTools = Object.entries(tools).map(([name, more]) => toolOf(name, this.receiver.url, more))
    // None is lost before the server is: only on PostgreSQL does anybody wait until it has run out.
    return { httpTools, leaseMs: kind === 'sqlite' ? 20_000 : 3_000 }
  }

  /** What was asked for a session, and how many deeds came of it. */
  of(session_id: string): { ids: string[]; isSigned: boolean; done: number } {
    const asked = this.receiver.posted.filter(({ body }) => body.session_id === session_id)
    const ids = asked.map(({ headers }) => String(headers['webhook-id']))
    const done = [...new Set(ids)].reduce((sum, id) => sum + (this.#deeds.get(id) ?? 0), 0)
    return { ids, isSigned: asked.every(({ isSigned }) => isSigned), done }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.receiver[Symbol.asyncDispose]()
  }
}

/** How many calls are on record as accepted. */
async function acceptedIn({ directory, databaseUrl }: Arena): Promise<number> {
  const query = `SELECT count(*) AS n FROM http_tool_calls WHERE state = 'accepted'`
  if (databaseUrl === undefined) {
    using database = new DatabaseSync(join(directory, 'parley.sqlite'), { readOnly: true })
    return Number(database.prepare(query).get()!['n'])
  }
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const { rows } = await client.query<{ n: string }>(query)
  await client.end()
  return Number(rows[0]!.n)
}

type Instance = { server: NodeProcess; port: number; url: string }

async function start(arena: Arena, { port, options }: { port?: number; options: ServerOptions }): Promise<Instance> {
  const at = port ?? (await freePort())
  return { server: await arena.start({ port: at, options }), port: at, url: `http://127.0.0.1:${at}` }
}

/** Has the model call the tool in a session of its own. */
async function begin(arena: Arena, { url }: Instance, tool: string): Promise<{ tool: string; session_id: string }> {
  const session_id = await arena.newSession(url)
  using sender = watch(() => url, session_id)
  await sender.send({ message: JSON.stringify({ name: tool, arguments: {} }) })
  return { tool, session_id }
}

/** The run comes to its end, and every client has the same picture of it. */
async function endOf({ url }: Instance, session_id: string) {
  using witness = watch(() => url, session_id)
  await witness.until(({ status, run_id }) => status === 'completed' && run_id === null, 60_000)
  await checkEnd(witness)
  return (await witness.messages()).flatMap(({ tool_calls }) => tool_calls)[0]!
}

async function confirmations(url: string, session_id: string): Promise<Confirmation[]> {
  const reply = await fetch(`${url}/api/confirmations`, { headers })
  const { items } = (await reply.json()) as { items: Confirmation[] }
  return items.filter((item) => item.session_id === session_id)
}

/** The status of the reply. */
async function approve(url: string, session_id: string): Promise<number> {
  const [item] = await confirmations(url, session_id)
  const body = JSON.stringify({ decision: 'approve' })
  const reply = await fetch(`${url}/api/confirmations/${item!.id}`, { method: 'POST', headers, body })
  await reply.arrayBuffer()
  return reply.status
}
