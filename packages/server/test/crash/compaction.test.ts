import type { FakeChoice } from '@parley/testkit'
import { expect, test } from 'vitest'
import type { Point } from '../../src/runs/points.ts'
import { type Arena, freePort, KEY, openArena, watch } from './arena.ts'
import { checkEnd } from './checks.ts'
import type { Witness } from './witness.ts'

const LONG = 'word '.repeat(60)
/** Sent again, it is the same message. */
const FOUR = { message: 'four', client_message_id: 'm4' }
const POINTS: Point[] = ['before:C10', 'after:C10', 'before:C11', 'after:C11', 'before:C9', 'after:C9']
/** A machine that does much else is slow, but comes to an end. */
const PATIENCE_MS = 90_000

const model: FakeChoice = ({ question }) =>
  question.includes('<record>') ? { text: 'They talked of words.' } : { text: `Heard. ${LONG}` }

test(
  '[W10.11] [D3] on sqlite, killed at every step of a compaction, it is done once, and the message that waited is answered',
  { timeout: 400_000 },
  async () => {
    await using arena = await openArena('sqlite', model)
    // Its one server voids every lease when it starts: a long one costs nothing here, and no load takes it away.
    const env = { PARLEY_LEASE_MS: '30000' }
    const port = await freePort()
    const url = urlOf(port)
    const server = await arena.start({ port, env })
    const talks = []
    for (const kill of POINTS) talks.push({ kill, ...(await talk(arena, () => url)) })
    // Each session is held at a point of its own, and they all die at once.
    for (const { kill, session_id } of talks) {
      arena.order(port, { kill, holds: true, nth: POINTS.length + 1 })
      compact(url, session_id)
      await server.line(new RegExp(`^holds ${kill}$`))
    }
    server.signal('SIGKILL')
    expect(await server.exited).toBe('SIGKILL')
    arena.revoke(port)
    await arena.start({ port, env })
    for (const { kill, witness } of talks) {
      await finish(witness, kill)
      witness[Symbol.dispose]()
    }
  },
)

// What a database does at each point is shown by test/compaction, where instances freeze; here processes die.
test(
  '[W10.11] [D3] on postgres, one of two servers is killed in the middle of a compaction that a message waits for, and the other one carries both on',
  { timeout: 400_000 },
  async () => {
    await using arena = await openArena('postgres', model)
    const env = { PARLEY_LEASE_MS: '4000' }
    const ports = { one: await freePort(), two: await freePort() }
    const [one] = await Promise.all([arena.start({ port: ports.one, env }), arena.start({ port: ports.two, env })])
    const url = urlOf(ports.two)
    const talks = []
    for (const kill of ['before:C11', 'before:C9'] as const) talks.push({ kill, ...(await talk(arena, () => url)) })
    for (const { kill, session_id, witness } of talks) {
      arena.order(ports.one, { kill, holds: true, nth: talks.length + 1 })
      compact(urlOf(ports.one), session_id)
      await one.line(new RegExp(`^holds ${kill}$`))
      // It waits for the one that will die.
      await witness.send(FOUR)
    }
    one.signal('SIGKILL')
    for (const { kill, witness } of talks) {
      await finish(witness, kill)
      witness[Symbol.dispose]()
    }
  },
)

/** A session with something to compact, and somebody who watches it. */
async function talk(arena: Arena, url: () => string): Promise<{ witness: Witness; session_id: string }> {
  const session_id = await arena.newSession(url())
  const witness = watch(url, session_id)
  for (const nth of ['one', 'two', 'three']) await answered(witness, await witness.send({ message: `${nth} ${LONG}` }))
  return { witness, session_id }
}

function compact(url: string, session_id: string): void {
  const headers = { authorization: `Bearer ${KEY}` }
  void fetch(`${url}/api/sessions/${session_id}/compact`, { method: 'POST', headers }).catch(() => undefined)
}

/** What must be true wherever it died. */
async function finish(witness: Witness, kill: Point): Promise<void> {
  await answered(witness, await witness.send(FOUR))
  await witness.until(({ turns }) => turns.some(isCompacted), PATIENCE_MS)
  await checkEnd(witness)
  const turns = await witness.messages()
  expect(turns.filter(isCompacted), kill).toHaveLength(1)
  const failed = turns.filter(({ kind, status }) => kind === 'compaction' && status === 'failed')
  const reasons = failed.map(({ failure_reason }) => failure_reason)
  expect(reasons, kill).toEqual(kill === 'after:C10' || kill === 'before:C11' ? ['server_stopped'] : [])
  expect(turns.filter(({ client_message_id }) => client_message_id === 'm4')).toHaveLength(1)
  expect(turns.filter(({ archived }) => archived).length, kill).toBeGreaterThanOrEqual(4)
}

type Turn = Awaited<ReturnType<Witness['messages']>>[number]

function isCompacted({ kind, status }: Turn): boolean {
  return kind === 'compaction' && status === 'completed'
}

async function answered(witness: Witness, { run_id }: { run_id: string }): Promise<void> {
  const isAnswer = (turn: Turn) => turn.run_id === run_id && turn.role === 'assistant' && turn.status === 'completed'
  await witness.until((projection) => projection.run_id === null && projection.turns.some(isAnswer), PATIENCE_MS)
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`
}
