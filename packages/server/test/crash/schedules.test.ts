import { textOf, type Session, type TurnProjection } from '@parley/protocol'
import type { ScheduledTask, ScheduledTaskRun } from '@parley/protocol/rest'
import type { FakeChoice, NodeProcess } from '@parley/testkit'
import { expect, test } from 'vitest'
import type { Point } from '../../src/runs/points.ts'
import { setDatabaseClock } from '../store/movable-clock.ts'
import { type Arena, freePort, KEY, openArena } from './arena.ts'

// Servers that die while they begin what is due, and while that runs. Time goes from hour to hour as the test says, so that
// every due time is known: each has one fate, and what ran, ran once.

const POINTS = ['before:C1', 'after:C1', 'after:C2a', 'after:C2b', 'after:C4', 'before:C9', 'after:C9'] as Point[]
const HOUR = 3_600_000
/** A few seconds after a slot: what began late because of a kill is still fresh. */
const START = Date.parse('2031-03-04T10:00:02Z')
const TASKS = ['amber', 'birch', 'cobalt', 'damson']
const PATIENCE = { timeout: 90_000, interval: 100 }
const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }

const speaking: FakeChoice = ({ question, results }) =>
  results.length === 0
    ? { text: 'Let me see.', calls: [{ name: 'Peek', arguments: { mark: question } }] }
    : { text: `Done: ${question}` }

test(
  '[W10.19] [D6] sqlite: killed at any step of beginning and running what is due, and started again: no slot twice, none lost',
  { timeout: 600_000 },
  async () => {
    await using arena = await openArena('sqlite', speaking)
    const port = await freePort()
    let offset = START - Date.now()
    const start = () => startAt(arena, port, { CLOCK_OFFSET: String(offset) })
    let { server, url } = await start()
    const tasks = await makeTasks(url, TASKS)
    for (const [round, kill] of POINTS.entries()) {
      arena.order(port, { kill, nth: 1 + (round % 2) })
      offset = START + (round + 1) * HOUR - Date.now()
      await arena.setClock(port, server, Math.round(offset))
      expect(await server.exited, kill).toBe('SIGKILL')
      ;({ server, url } = await start())
      await expectAllEnded(url, tasks, round + 1)
    }
    // Nobody is there for some hours.
    server.signal('SIGKILL')
    await server.exited
    offset = START + (POINTS.length + 20) * HOUR - Date.now()
    ;({ url } = await start())
    await expectAllEnded(url, tasks, POINTS.length + 2)
    await expectOneFateEach(url, tasks, POINTS.length + 20)
  },
)

test(
  '[W10.19] [D6] postgres: killed at any step of it, another instance begins or ends what is due: no slot twice, none lost',
  { timeout: 900_000 },
  async () => {
    await using arena = await openArena('postgres', speaking)
    const setClock = (at: number) => setDatabaseClock(arena.databaseUrl!, Math.round(at - Date.now()))
    let [victim, survivor] = [await startAt(arena, await freePort()), await startAt(arena, await freePort())]
    await setClock(START)
    const tasks = await makeTasks(victim.url, TASKS)
    for (const [round, kill] of POINTS.entries()) {
      // Frozen, it leaves all of them to the other.
      survivor.server.signal('SIGSTOP')
      arena.order(victim.port, { kill, nth: 1 + (round % 2) })
      await setClock(START + (round + 1) * HOUR)
      expect(await victim.server.exited, kill).toBe('SIGKILL')
      survivor.server.signal('SIGCONT')
      await expectAllEnded(survivor.url, tasks, round + 1)
      ;[victim, survivor] = [survivor, await startAt(arena, await freePort())]
    }
    await expectOneFateEach(survivor.url, tasks, POINTS.length)
    const runs = (await Promise.all(tasks.map(({ id }) => runsOf(survivor.url, id)))).flat()
    expect(runs.filter(({ fate }) => fate !== 'ran')).toEqual([])
  },
)

test(
  '[W10.19] [D6] three instances that see the same due tasks begin each of them once',
  { timeout: 300_000 },
  async () => {
    await using arena = await openArena('postgres', speaking)
    const setClock = (at: number) => setDatabaseClock(arena.databaseUrl!, Math.round(at - Date.now()))
    const [{ url }] = [
      await startAt(arena, await freePort()),
      await startAt(arena, await freePort()),
      await startAt(arena, await freePort()),
    ]
    await setClock(START)
    const titles = Array.from({ length: 24 }, (_, n) => `light number ${n}`)
    const tasks = await makeTasks(url, titles)
    for (const round of [1, 2, 3, 4]) {
      await setClock(START + round * HOUR)
      await expectAllEnded(url, tasks, round)
    }
    await expectOneFateEach(url, tasks, 4)
  },
)

type Instance = { server: NodeProcess; port: number; url: string }

async function startAt(arena: Arena, port: number, env: Record<string, string> = {}): Promise<Instance> {
  // None is lost before the server is: only on PostgreSQL does anybody wait until it has run out.
  const options = { leaseMs: arena.kind === 'sqlite' ? 20_000 : 3_000, suggestions: false }
  return { server: await arena.start({ port, options, env }), port, url: `http://127.0.0.1:${port}` }
}

async function makeTasks(url: string, titles: readonly string[]): Promise<ScheduledTask[]> {
  const tasks: ScheduledTask[] = []
  for (const title of titles) {
    const body = JSON.stringify({ title, prompt: `Look at the ${title} light`, cron: '0 * * * *', timezone: 'UTC' })
    const reply = await fetch(`${url}/api/scheduled-tasks`, { method: 'POST', headers, body })
    expect(reply.status).toBe(201)
    tasks.push((await reply.json()) as ScheduledTask)
  }
  return tasks
}

/** There are so many records of each, and none of them runs. */
async function expectAllEnded(url: string, tasks: readonly ScheduledTask[], count: number): Promise<void> {
  const open = async () => {
    const runs = await Promise.all(tasks.map(({ id }) => runsOf(url, id)))
    return runs.map((of) => [of.length, of.filter(({ status }) => status === 'running').length])
  }
  await expect.poll(open, PATIENCE).toEqual(tasks.map(() => [count, 0]))
}

/** Every hour of the test has one record of every task, and every session that began is one record's, with one message. */
async function expectOneFateEach(url: string, tasks: readonly ScheduledTask[], hours: number): Promise<void> {
  const { items: sessions } = await get<{ items: Session[] }>(url, '/api/sessions?limit=100')
  for (const { id, title, prompt } of tasks) {
    const runs = await runsOf(url, id)
    for (let hour = 1; hour <= hours; hour++) {
      const slot = new Date(START - (START % HOUR) + hour * HOUR).toISOString()
      const its = runs.filter(({ due_at, due_before }) =>
        due_before === null ? due_at === slot : due_at! <= slot && slot < due_before,
      )
      expect(
        its.map(({ fate }) => fate),
        `${title} ${slot}`,
      ).toEqual([expect.stringMatching(/^(?:ran|missed)$/)])
    }
    const began = runs.filter(({ fate }) => fate === 'ran').map(({ session_id }) => session_id)
    const there = sessions.filter(({ intent }) => intent === title).map((session) => session.id)
    expect(began.toSorted()).toEqual(there.toSorted())
    for (const session_id of began) {
      const turns = await get<TurnProjection[]>(url, `/api/sessions/${session_id}/messages`)
      expect(turns.filter(({ role }) => role === 'user').map(textOf)).toEqual([prompt])
      expect(textOf(turns.at(-1)!)).toBe(`Done: ${prompt}`)
    }
  }
}

function runsOf(url: string, task_id: string): Promise<ScheduledTaskRun[]> {
  return get(url, `/api/scheduled-tasks/${task_id}/runs?limit=100`)
}

async function get<T>(url: string, path: string): Promise<T> {
  return (await (await fetch(url + path, { headers })).json()) as T
}
