import { ROOT_LOOP } from '@parley/protocol'
import type { Engine } from '../store/engine.ts'
import { runSql } from '../store/work.ts'
import type { Content } from './contents.ts'
import type { Problem } from './problems.ts'

/** Where the manifest of a state is, and in which files of the session's directory its contents are. */
export type KeptState = { manifest: Content; files: string[] }

/** `sequence`: of the newest user turn when it was taken. `name`: `''`, or what somebody calls it. */
export type StateKey = { sequence: number; name: string }

export type StateRow =
  | (StateKey & { state: KeptState } & { problem: null })
  | (StateKey & { state: null; problem: Problem })

type Stored = StateKey & { state: string | null; problem: Problem | null }

const COLUMNS = 'sequence, name, state, problem'

/** The newest user turn of a session, on whatever branch, and whether the state before its first change is kept. */
export async function findNewestTurn(
  engine: Engine,
  session_id: string,
): Promise<{ sequence: number; isKept: boolean } | undefined> {
  const [row] = await engine.select<{ sequence: number; taken: number | null }>(
    `SELECT turns.sequence, states.taken_at AS taken FROM turns LEFT JOIN workspace_states AS states
      ON states.session_id = turns.session_id AND states.sequence = turns.sequence AND states.name = ''
      WHERE turns.session_id = ? AND turns.loop_id = ? AND turns.projection LIKE '%"role":"user"%'
      ORDER BY turns.sequence DESC LIMIT 1`,
    [session_id, ROOT_LOOP],
  )
  return row && { sequence: row.sequence, isKept: row.taken !== null }
}

/** Once: what is there under this key stays. A session that is gone gets none. */
export async function addState(
  engine: Engine,
  session_id: string,
  { sequence, name, state, problem }: StateRow,
): Promise<void> {
  await engine.write(() =>
    runSql(
      `INSERT INTO workspace_states (session_id, sequence, name, state, problem, taken_at)
        SELECT gates.session_id, CAST(? AS bigint), CAST(? AS text), CAST(? AS text), CAST(? AS text), now_ms()
        FROM gates WHERE gates.session_id = ?
        ON CONFLICT (session_id, sequence, name) DO NOTHING`,
      [sequence, name, state && JSON.stringify(state), problem, session_id],
    ),
  )
}

/** Oldest first. */
export async function statesOf(engine: Engine, session_id: string): Promise<StateRow[]> {
  const rows = await engine.select<Stored>(
    `SELECT ${COLUMNS} FROM workspace_states WHERE session_id = ? ORDER BY taken_at, sequence, name`,
    [session_id],
  )
  return rows.map(rowOf)
}

export async function findLastKept(engine: Engine, session_id: string): Promise<KeptState | undefined> {
  const [row] = await engine.select<Stored>(
    `SELECT ${COLUMNS} FROM workspace_states WHERE session_id = ? AND state IS NOT NULL
      ORDER BY taken_at DESC, sequence DESC LIMIT 1`,
    [session_id],
  )
  return row && (rowOf(row).state ?? undefined)
}

/**
 * The first that was taken after this user turn came, and so before anything changed since. What was changed is changed,
 * whatever branch the conversation is on by now.
 */
export async function findBefore(engine: Engine, session_id: string, sequence: number): Promise<StateRow | undefined> {
  const [row] = await engine.select<Stored>(
    `SELECT ${COLUMNS} FROM workspace_states WHERE session_id = ? AND sequence >= ? ORDER BY sequence, name LIMIT 1`,
    [session_id, sequence],
  )
  return row && rowOf(row)
}

export async function findNamed(engine: Engine, session_id: string, name: string): Promise<StateRow | undefined> {
  const [row] = await engine.select<Stored>(
    `SELECT ${COLUMNS} FROM workspace_states WHERE session_id = ? AND name = ? ORDER BY sequence LIMIT 1`,
    [session_id, name],
  )
  return row && rowOf(row)
}

/** Their contents may go. */
export async function dropStates(engine: Engine, session_id: string, keys: readonly StateKey[]): Promise<void> {
  await engine.write(function* () {
    for (const { sequence, name } of keys)
      yield* runSql(
        `UPDATE workspace_states SET state = NULL, problem = 'dropped' WHERE session_id = ? AND sequence = ? AND name = ?`,
        [session_id, sequence, name],
      )
  })
}

function rowOf({ sequence, name, state, problem }: Stored): StateRow {
  const key = { sequence, name }
  return state === null
    ? { ...key, state: null, problem: problem ?? 'gone' }
    : { ...key, state: JSON.parse(state) as KeptState, problem: null }
}
