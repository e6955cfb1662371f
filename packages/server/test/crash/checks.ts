import { hostname } from 'node:os'
import { textOf, type TurnProjection } from '@parley/protocol'
import { expect } from 'vitest'
import type { Point } from '../../src/runs/points.ts'
import { type Arena, KEY } from './arena.ts'
import { FINAL } from './conversation.ts'
import type { Witness } from './witness.ts'

/** `npm run crash -- --rounds N` asks for more. */
export const ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? 50)
export const TAKEOVER_ROUNDS = Math.ceil(ROUNDS / 5)

/** Every commit point, and how often it is passed in one conversation before the server dies there. */
export const POINTS: [Point, number][] = [
  ['before:C1', 1],
  ['after:C1', 1],
  ['before:C2b', 1],
  ['after:C2b', 1],
  ['after:C3', 1],
  ['before:C4', 1],
  ['after:C4', 1],
  ['before:C5', 1],
  ['after:C5', 1],
  ['after:C5', 3],
  ['before:C6', 2],
  ['after:C6', 2],
  ['after:C6', 4],
  ['before:C2a', 1],
  ['after:C2a', 1],
  ['after:C2b', 3],
  ['after:C3', 30],
  ['before:C9', 1],
  ['after:C9', 1],
]

/** What must be true however and whenever the server died: the conversation `work …` came to its end, once. */
export async function checkWork(witness: Witness, arena: Arena, message: string): Promise<void> {
  await witness.until(({ status }) => status === 'completed')
  await checkEnd(witness)
  const turns = await witness.messages()
  const said = turns.filter(({ role }) => role === 'user')
  expect(said.map(textOf), 'accepted input is there, once').toEqual([message])
  expect(textOf(turns.at(-1)!), 'the run reached its end').toBe(FINAL)
  for (const mark of ['a', 'c', 'e']) {
    const times = arena.marks().get(`${message} ${mark}`) ?? 0
    expect(times, `${message} ${mark} was done at most once`).toBeLessThanOrEqual(1)
    const calls = turns
      .flatMap(({ tool_calls }) => tool_calls)
      .filter((call) => call.tool_name === 'Count' && call.arguments.includes(`${message} ${mark}"`))
    // What was not done is not claimed to be, and what may have been done is reported.
    for (const call of calls) if (call.status === 'done') expect(times, `${mark} says done`).toBe(1)
  }
}

export type Owner = { epoch: number; instance: string; cause: string }

/** Whose the run was, as its record tells; each later owner has taken it over, and that is counted for good. */
export async function checkOwners(url: string, session_id: string): Promise<Owner[]> {
  const ask = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`${url}/api/sessions/${session_id}/${path}`, {
      headers: { authorization: `Bearer ${KEY}` },
    })
    return (await answer.json()) as T
  }
  const { items } = await ask<{ items: { type: string; data: Owner }[] }>('events?hidden=1')
  const owners = items.filter(({ type }) => type === 'run:owner').map(({ data }) => data)
  expect(owners.map(({ cause }) => cause)).toEqual(owners.map((_, index) => (index === 0 ? 'accepted' : 'take_over')))
  expect(owners.map(({ epoch }) => epoch)).toEqual(owners.map(({ epoch }) => epoch).toSorted((a, b) => a - b))
  const runs = await ask<{ items: { takeovers: number }[] }>('runs')
  expect(runs.items).toHaveLength(1)
  // One that lost its lease again before it wrote anything is counted, and not named.
  expect(runs.items[0]!.takeovers).toBeGreaterThanOrEqual(owners.length - 1)
  expect(owners).not.toEqual([])
  return owners
}

/** What an instance on this machine is called. */
export const nameOf = (server: { pid: number }) => `${hostname()}:${server.pid}`

/** A server that died there had no run, or none any more. */
export const isBesideRun = (point: Point) => point === 'before:C1' || point === 'after:C9'

/** No status is stuck, and every client has the same picture as REST. */
export async function checkEnd(witness: Witness): Promise<void> {
  const turns = await witness.messages()
  expect(turns.filter(({ status }) => status === 'streaming')).toEqual([])
  expect(turns.flatMap(({ tool_calls }) => tool_calls).filter(({ status }) => status === 'pending')).toEqual([])
  expect(turns.map(({ sequence }) => sequence)).toEqual(turns.map((_, index) => index))
  expect(witness.projection.turns.map(comparable)).toEqual(turns.map(comparable))
}

/** A turn without the envelope that events add. */
function comparable({
  solution_id: _s,
  template_id: _t,
  ...turn
}: TurnProjection & { solution_id?: unknown; template_id?: unknown }): object {
  return turn
}
