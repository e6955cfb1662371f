import type { TurnProjection } from '@parley/protocol'
import type { Memory, Page } from '@parley/protocol/rest'
import type { FakeChoice, NodeProcess } from '@parley/testkit'
import { expect, test } from 'vitest'
import type { Point } from '../../src/runs/points.ts'
import { type Arena, freePort, KEY, openArena, watch } from './arena.ts'
import { checkEnd } from './checks.ts'

// Servers that die while something is remembered, corrected and forgotten, while it is recalled for the message that asks, and
// while somebody writes memories over REST. What a tool of memories does is one transaction with its result, so that C5 is C6.

const WORDS = ['amber', 'birch', 'cobalt', 'damson', 'elder', 'fawn', 'garnet', 'hazel', 'indigo', 'jasper']
/** On PostgreSQL, where another instance goes on, those that leave most to it. */
const POINTS: Record<'sqlite' | 'postgres', readonly Point[]> = {
  sqlite: [
    ...['before:C1', 'after:C1', 'after:C2a', 'after:C2b', 'after:C3'],
    ...['after:C4', 'before:C6', 'after:C6', 'before:C9', 'after:C9'],
  ] as Point[],
  postgres: ['before:C1', 'after:C2a', 'after:C4', 'before:C6', 'after:C6', 'before:C9'],
}
const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }

type Call = { name: string; arguments: object }

/** What the model calls at a message, whatever was recalled for it. */
const wanted = new Map<string, Call>()
const caller: FakeChoice = ({ question, results }) =>
  results.length === 0 ? { text: 'Let me see.', calls: [wanted.get(question.split('\n\n')[0]!)!] } : { text: 'I see.' }

test.each(['sqlite', 'postgres'] as const)(
  '[W10.16] [DC6] %s: killed at any step, what is remembered, corrected and forgotten happens once, and so does what is recalled',
  { timeout: 900_000 },
  async (kind) => {
    await using arena = await openArena(kind, caller)
    let victim = await start(arena)
    for (const [n, kill] of POINTS[kind].entries()) {
      const word = WORDS[n]!
      const old = await keep(victim, `The ${word} lantern hangs in the attic`)
      const unwanted = await keep(victim, `The ${word} whistle hangs in the hall`)
      const calls = {
        [`Note the ${word} ladder`]: {
          name: 'Remember',
          arguments: { content: `The ${word} ladder stands in the yard` },
        },
        [`Where the ${word} lantern hangs has changed`]: {
          name: 'CorrectMemory',
          arguments: { id: old.id, content: `The ${word} lantern hangs in the cellar` },
        },
        [`Forget that ${word} whistle`]: { name: 'ForgetMemory', arguments: { ids: [unwanted.id] } },
      }
      for (const [message, call] of Object.entries(calls)) wanted.set(message, call)
      const messages = Object.keys(calls)
      arena.order(victim.port, { kill, nth: messages.length, holds: true })
      const writing = writeUntilDead(victim, word)
      const sent = await Promise.all(messages.map((message) => begin(arena, victim, message)))
      expect(await victim.server.exited, kill).toBe('SIGKILL')
      const written = await writing
      // On PostgreSQL another instance takes over, when the lease is over; on SQLite the same server comes back.
      victim = await start(arena, kind === 'sqlite' ? victim.port : undefined)
      const turns: TurnProjection[][] = []
      for (const each of sent) turns.push(await endOf(victim, each))
      const results = turns.map((all) => all.flatMap(({ tool_calls }) => tool_calls)[0]!)
      expect(results, kill).toMatchObject(messages.map(() => ({ status: 'done', result: { ok: true } })))

      const { items } = await get<Page<Memory>>(victim, `/api/memories?keyword=${word}&limit=100`)
      const by = (what: string) => items.filter(({ content }) => content.includes(what))
      expect(by('ladder'), kill).toHaveLength(1)
      expect(by('whistle'), kill).toEqual([])
      const [corrected] = by('cellar')
      expect(by('lantern'), kill).toHaveLength(2)
      const [before] = by('attic')
      expect(before, kill).toMatchObject({ id: old.id, superseded_by: corrected!.id })
      // The message that corrects it is about it: recalled for that one answer, and counted once.
      const shown = turns[1]!.filter(({ failure_reason }) => failure_reason !== 'server_stopped')
      const refs = shown.flatMap(({ memory_refs }) => memory_refs ?? []).filter(({ id }) => id === old.id)
      expect([refs.length, before!.hit_count >= 1], kill).toEqual([1, true])
      expect(before!.hit_count, kill).toBe(recalls(turns, old.id))

      // What was acknowledged is there; of the one whose answer never came, all or nothing.
      const notes = by('peg')
      const unanswered = notes.filter(({ id }) => !written.ids.includes(id))
      expect(notes.length - unanswered.length, `${kill}: written over REST`).toBe(written.ids.length)
      expect(unanswered.length, kill).toBeLessThanOrEqual(1)
      const turn = Number(notes.find(({ id }) => id === written.ids[0])!.topic ?? 0)
      expect([written.turns, written.turns + 1], `${kill}: changed over REST`).toContain(turn)
    }
  },
)

type Instance = { server: NodeProcess; port: number; url: string }

async function start(arena: Arena, port?: number): Promise<Instance> {
  const at = port ?? (await freePort())
  // None is lost before the server is: only on PostgreSQL does anybody wait until it has run out.
  const options = { leaseMs: arena.kind === 'sqlite' ? 20_000 : 3_000 }
  return { server: await arena.start({ port: at, options }), port: at, url: `http://127.0.0.1:${at}` }
}

type Sent = { session_id: string; message: string }

/** Nobody waits for an answer: the server dies before it gives one. */
async function begin(arena: Arena, { url }: Instance, message: string): Promise<Sent> {
  const session_id = await arena.newSession(url)
  void send(url, { session_id, message }).catch(() => undefined)
  return { session_id, message }
}

function send(url: string, { session_id, message }: Sent): Promise<Response> {
  const body = JSON.stringify({ message, client_message_id: 'once' })
  return fetch(`${url}/api/sessions/${session_id}/chat`, { method: 'POST', headers, body })
}

/** Who got no answer sends again: a message that was accepted before is that one. */
async function endOf({ url }: Instance, sent: Sent): Promise<TurnProjection[]> {
  const reply = await send(url, sent)
  expect(reply.status).toBe(200)
  await reply.text()
  using witness = watch(() => url, sent.session_id)
  await witness.until(({ status, run_id }) => status === 'completed' && run_id === null, 60_000)
  await checkEnd(witness)
  return witness.messages()
}

/** In how many sessions it stands with the message. */
function recalls(turns: readonly TurnProjection[][], id: number): number {
  return turns.filter((all) => all.some(({ memory_refs }) => memory_refs?.some((ref) => ref.id === id))).length
}

/** One write after another until the server is gone: some new memories, then changes of the first. */
async function writeUntilDead(instance: Instance, word: string): Promise<{ ids: number[]; turns: number }> {
  const ids: number[] = []
  let turns = 0
  try {
    for (;;)
      if (ids.length < 5)
        ids.push((await keep(instance, `Coat ${ids.length} belongs on the ${word} peg ${ids.length}`)).id)
      else {
        const change = { method: 'PUT', headers, body: JSON.stringify({ topic: String(turns + 1) }) }
        const reply = await fetch(`${instance.url}/api/memories/${ids[0]}`, change)
        expect(reply.status).toBe(200)
        await reply.text()
        turns += 1
      }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return { ids, turns }
  }
}

async function keep({ url }: Instance, content: string): Promise<Memory> {
  const reply = await fetch(`${url}/api/memories`, { method: 'POST', headers, body: JSON.stringify({ content }) })
  return (await reply.json()) as Memory
}

async function get<T>({ url }: Instance, path: string): Promise<T> {
  return (await (await fetch(url + path, { headers })).json()) as T
}
