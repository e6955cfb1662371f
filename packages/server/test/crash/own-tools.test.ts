import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Confirmation } from '@parley/protocol'
import { expect, test } from 'vitest'
import type { Point } from '../../src/runs/points.ts'
import { isAlive, until } from '../sandbox/rig.ts'
import { type Arena, freePort, KEY, LEASE_MS, openArena, watch } from './arena.ts'
import { checkEnd } from './checks.ts'
import { caller } from './real-tools.ts'
import type { Witness } from './witness.ts'

const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
const UNKNOWN = 'outcome unknown: the server stopped while this was running'
const TOOLS = ['charge_never', 'charge_safe', 'charge_keyed'] as const
type Tool = (typeof TOOLS)[number]

/** What a death at this point makes of a call of each tool: its end, and the attempts that the receiver heard of. */
const DEATHS: [Point, Record<Tool, ['done' | 'unknown', number[]]>][] = [
  ['before:C5', { charge_never: ['done', [1]], charge_safe: ['done', [1]], charge_keyed: ['done', [1]] }],
  ['after:C5', { charge_never: ['unknown', []], charge_safe: ['done', [2]], charge_keyed: ['done', [2]] }],
  ['before:C6', { charge_never: ['unknown', [1]], charge_safe: ['done', [1, 2]], charge_keyed: ['done', [1, 2]] }],
  ['after:C6', { charge_never: ['done', [1]], charge_safe: ['done', [1]], charge_keyed: ['done', [1]] }],
]

test.each(['sqlite', 'postgres'] as const)(
  '[W12.10] [D3] %s: killed around C5 and C6, own tools are begun again as they declare, keyed ones with their key: who counts by it counts one',
  { timeout: 900_000 },
  async (kind) => {
    await using arena = await openArena(kind, caller)
    await using receiver = await startReceiver()
    const start = (port: number) => startServer(arena, { port, receiver: receiver.url })
    let victim = await start(await freePort())
    for (const [kill, ends] of DEATHS) {
      arena.order(victim.port, { kill, nth: TOOLS.length, holds: true })
      const begun = await Promise.all(TOOLS.map((tool) => begin(arena, victim.url, tool)))
      expect(await victim.server.exited, kill).toBe('SIGKILL')
      // On PostgreSQL another instance takes over; on SQLite the same server comes back.
      const next = await start(kind === 'sqlite' ? victim.port : await freePort())
      for (const { tool, session_id } of begun) {
        using witness = watch(() => next.url, session_id)
        const call = await endOf(witness)
        const what = `${kill} ${tool}: ${JSON.stringify(call.result)}`
        const heard = receiver.heard(call.id)
        expect([call.result === UNKNOWN ? 'unknown' : call.status, heard], what).toEqual(ends[tool])
        if (tool === 'charge_keyed') expect([call.result, receiver.charged(call.id)], what).toEqual(['charged', 1])
      }
      victim = next
    }
  },
)

test.each(['sqlite', 'postgres'] as const)(
  '[W12.10] [D3] %s: killed around C7 and C8, own tools are asked for once, and run once, as approved',
  { timeout: 900_000 },
  async (kind) => {
    await using arena = await openArena(kind, caller)
    await using receiver = await startReceiver()
    const start = (port: number) => startServer(arena, { port, receiver: receiver.url, decision: 'ask' })
    let victim = await start(await freePort())
    for (const kill of ['before:C7', 'after:C7', 'before:C8', 'after:C8'] as const) {
      arena.order(victim.port, { kill, nth: TOOLS.length, holds: true })
      const { url } = victim
      const begun = await Promise.all(TOOLS.map((tool) => begin(arena, url, tool)))
      if (kill.endsWith('C8'))
        for (const { session_id } of begun) {
          using witness = watch(() => url, session_id)
          await witness.until(({ pending_question }) => pending_question !== null)
          void approve(url, session_id).catch(() => undefined)
        }
      expect(await victim.server.exited, kill).toBe('SIGKILL')
      const next = await start(kind === 'sqlite' ? victim.port : await freePort())
      for (const { tool, session_id } of begun) {
        using witness = watch(() => next.url, session_id)
        await witness.until(({ pending_question, status }) => pending_question !== null || status === 'completed')
        // Whoever got no answer asks again; a decision that was stored is told, not taken twice.
        if (witness.projection.pending_question) expect([200, 409]).toContain(await approve(next.url, session_id))
        const call = await endOf(witness)
        expect([call.status, receiver.heard(call.id)], `${kill} ${tool}`).toEqual(['done', [1]])
        expect((await confirmations(next.url, session_id)).map(({ status }) => status)).toEqual(['approved'])
      }
      victim = next
    }
  },
)

test(
  '[W12.10] [D3] after SIGSTOP and after SIGKILL of the server no tool process lives past lease + 1 s, however busy, nor what it started',
  { timeout: 900_000 },
  async () => {
    await using arena = await openArena('sqlite', caller)
    const token = `${Math.random()}`.slice(2, 12)
    const victim = await startServer(arena, { port: await freePort(), token })
    for (const signal of ['SIGSTOP', 'SIGKILL'] as const) {
      await begin(arena, victim.url, 'burn')
      const parts = [`97.${token}`, `burning ${token}`]
      await until(() => parts.every((part) => isAlive(part)), 60_000, 'it burns')
      victim.server.signal(signal)
      if (signal === 'SIGSTOP') await victim.server.frozen()
      await until(() => !isAlive(token, victim.server.pid), LEASE_MS + 1_000, `after ${signal}: all are gone`)
      victim.server.signal('SIGCONT')
    }
  },
)

type Options = { port: number; receiver?: string; token?: string; decision?: 'allow' | 'ask' }

async function startServer(arena: Arena, { port, receiver = '', token = '', decision = 'allow' }: Options) {
  const server = await arena.start({
    port,
    options: {
      ...(token === '' && { leaseMs: arena.kind === 'sqlite' ? 20_000 : 3_000 }),
      policy: { rules: [{ tool: 'charge_*', decision }], headless: 'fail', confirmationMinutes: 15 },
    },
    env: {
      PARLEY_CONFIG: join(import.meta.dirname, 'workers/own-tools.config.ts'),
      RECEIVER: receiver,
      BURN_TOKEN: token,
    },
  })
  return { server, port, url: `http://127.0.0.1:${port}` }
}

/** Has the model call the tool in a session of its own. */
async function begin<T extends string>(arena: Arena, url: string, tool: T): Promise<{ tool: T; session_id: string }> {
  const session_id = await arena.newSession(url)
  using sender = watch(() => url, session_id)
  await sender.send({ message: JSON.stringify({ name: tool, arguments: {} }) })
  return { tool, session_id }
}

async function endOf(witness: Witness) {
  await witness.until(({ status, run_id }) => status === 'completed' && run_id === null)
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

/** Somebody who charges once for each key, however often it is asked to. */
async function startReceiver() {
  const heard: { tool_call_id: string; attempt: number }[] = []
  const charged: string[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const order = JSON.parse(body) as { tool_call_id: string; attempt: number }
      heard.push(order)
      if (!charged.includes(order.tool_call_id)) charged.push(order.tool_call_id)
      response.end('charged')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard: (id: string) => heard.filter(({ tool_call_id }) => tool_call_id === id).map(({ attempt }) => attempt),
    charged: (id: string) => charged.filter((each) => each === id).length,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
