import { mkdir } from 'node:fs/promises'
import type { Confirmation } from '@parley/protocol'
import type { NodeProcess } from '@parley/testkit'
import { expect, test } from 'vitest'
import type { ServerOptions } from '../../src/config/options.ts'
import type { Point } from '../../src/runs/points.ts'
import { type Arena, freePort, KEY, openArena, watch } from './arena.ts'
import { checkEnd } from './checks.ts'
import {
  caller,
  type Deed,
  NEVER,
  placeOf,
  prepareDeed,
  renew,
  SAFE,
  textOfResult,
  timesDone,
  withRealTools,
} from './real-tools.ts'
import type { Witness } from './witness.ts'

const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
const UNKNOWN = 'outcome unknown: the server stopped while this was running'

/** What a death at this point makes of a call that changes something, how often it was done, and what a look sees. */
const DEATHS: [Point, 'done' | 'error', number, 'old' | 'new'][] = [
  ['before:C5', 'done', 1, 'new'],
  ['after:C5', 'error', 0, 'new'],
  ['before:C6', 'error', 1, 'new'],
  ['after:C6', 'done', 1, 'old'],
]

test.each([
  ['sqlite', DEATHS],
  ['postgres', DEATHS.filter(([kill]) => kill === 'before:C6')],
] as const)(
  '[D3] %s: killed around C5 and C6, real tools that change something run once at most and say what is unknown; those that look do so again',
  { timeout: 900_000 },
  async (kind, deaths) => {
    await using arena = await openArena(kind, caller)
    await mkdir(placeOf(arena), { recursive: true })
    const options = withRealTools(arena, 'allow')
    const tools = [...NEVER, ...SAFE]
    let victim = await start(arena, { options })
    for (const [kill, status, times, seen] of deaths) {
      await hasForeignTools(victim)
      arena.order(victim.port, { kill, nth: tools.length, holds: true })
      const begun = await Promise.all(tools.map((tool) => begin(arena, victim, tool)))
      expect(await victim.server.exited, kill).toBe('SIGKILL')
      for (const { deed } of begun.slice(NEVER.length)) renew(deed)
      // On PostgreSQL another instance takes over, when the lease is over; on SQLite the same server comes back.
      const next = await start(arena, { ...(kind === 'sqlite' && { port: victim.port }), options })
      for (const { deed, session_id } of begun) {
        using witness = watch(() => next.url, session_id)
        const call = await endOf(witness)
        const what = `${kill} ${deed.tool}: ${textOfResult(call)}`
        if (SAFE.some((tool) => tool === deed.tool)) {
          expect(call.status, what).toBe('done')
          expect(textOfResult(call), what).toContain(seen)
        } else {
          expect([call.status, timesDone(deed)], what).toEqual([status, times])
          if (status === 'error') expect(call.result, what).toBe(UNKNOWN)
        }
      }
      victim = next
    }
  },
)

test(
  '[D3] killed around C7 and C8, real tools that ask are asked for once, and run once, as approved',
  { timeout: 900_000 },
  async () => {
    await using arena = await openArena('sqlite', caller)
    await mkdir(placeOf(arena), { recursive: true })
    const options = withRealTools(arena, 'ask')
    let victim = await start(arena, { options })
    const { port, url } = victim
    for (const kill of ['before:C7', 'after:C7', 'before:C8', 'after:C8'] as const) {
      await hasForeignTools(victim)
      arena.order(port, { kill, nth: NEVER.length, holds: true })
      const begun = await Promise.all(NEVER.map((tool) => begin(arena, victim, tool)))
      if (kill.endsWith('C8'))
        for (const { session_id } of begun) {
          using witness = watch(() => url, session_id)
          await witness.until(({ pending_question }) => pending_question !== null)
          void approve(url, session_id).catch(() => undefined)
        }
      expect(await victim.server.exited, kill).toBe('SIGKILL')
      victim = await start(arena, { port, options })
      for (const { deed, session_id } of begun) {
        using witness = watch(() => url, session_id)
        await witness.until(({ pending_question, status }) => pending_question !== null || status === 'completed')
        // Whoever got no answer asks again; a decision that was stored is told, not taken twice.
        if (witness.projection.pending_question) expect([200, 409]).toContain(await approve(url, session_id))
        const call = await endOf(witness)
        const what = `${kill} ${deed.tool}: ${textOfResult(call)}`
        expect([call.status, timesDone(deed)], what).toEqual(['done', 1])
        expect((await confirmations(url, session_id)).map(({ status }) => status)).toEqual(['approved'])
      }
    }
  },
)

type Instance = { server: NodeProcess; port: number; url: string }

async function start(arena: Arena, { port, options }: { port?: number; options: ServerOptions }): Promise<Instance> {
  const at = port ?? (await freePort())
  return { server: await arena.start({ port: at, options }), port: at, url: `http://127.0.0.1:${at}` }
}

/** They are there a moment after the server is. */
async function hasForeignTools({ url }: Instance): Promise<void> {
  const listed = async () => (await fetch(`${url}/api/tools`, { headers })).text()
  await expect.poll(listed).toContain('mcp__files__edit_file')
}

type Begun = { deed: Deed; session_id: string }

/** Has the model call the tool in a session of its own. */
async function begin(arena: Arena, { url }: Instance, tool: string): Promise<Begun> {
  const session_id = await arena.newSession(url)
  const deed = await prepareDeed(arena, session_id, tool)
  using sender = watch(() => url, session_id)
  await sender.send({ message: JSON.stringify({ name: tool, arguments: deed.input }) })
  return { deed, session_id }
}

/** The run comes to its end, and every client has the same picture of it. */
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
