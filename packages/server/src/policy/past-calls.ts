import { isSpecialTool, parseArguments } from '@parley/protocol'
import type { TurnRow } from '../store/append.ts'
import type { Engine } from '../store/engine.ts'
import { readTurn } from '../store/read-turn.ts'

export type PastCall = { tool_name: string; input: Record<string, unknown> }

const MAX_CALLS = 1_000
const TURNS_PER_PAGE = 100
/** Most turns call nothing; these are looked at, and no more. */
const MAX_TURNS = 5_000
/** Of the projections, so that long answers do not make it a long look. */
const MAX_CHARACTERS = 20_000_000

type Row = Omit<TurnRow, 'messages'> & { session_id: string; updated_at: string }
/** Before every session, in the order in which they are looked at. */
const FIRST = { updated_at: '9999', session_id: '', sequence: Number.MAX_SAFE_INTEGER }

/** The last calls of a user's sessions, those of the session used last first. What only asks a person is no call. */
export async function pastCalls(engine: Engine, user_id: string): Promise<PastCall[]> {
  const calls: PastCall[] = []
  let at: Pick<Row, 'updated_at' | 'session_id' | 'sequence'> = FIRST
  let characters = 0
  for (let turns = 0; turns < MAX_TURNS; turns += TURNS_PER_PAGE) {
    const rows: Row[] = await engine.select<Row>(PAGE, [
      user_id,
      at.updated_at,
      at.updated_at,
      at.session_id,
      at.updated_at,
      at.session_id,
      at.sequence,
      TURNS_PER_PAGE,
    ])
    for (const { tool_calls } of rows.map(readTurn).reverse())
      for (const { tool_name, arguments: text } of tool_calls)
        if (!isSpecialTool(tool_name, 'AskUserQuestion')) calls.push({ tool_name, input: parseArguments(text) })
    for (const { projection } of rows) characters += projection.length
    const last = rows.at(-1)
    if (rows.length < TURNS_PER_PAGE || !last || calls.length >= MAX_CALLS || characters > MAX_CHARACTERS) break
    at = last
  }
  return calls.slice(0, MAX_CALLS)
}

const PAGE = `SELECT sessions.updated_at, turns.session_id, turn_id, sequence, run_id, loop_id, turns.status, projection
  FROM sessions JOIN turns ON turns.session_id = sessions.id
  WHERE sessions.user_id = ? AND (sessions.updated_at < ? OR (sessions.updated_at = ? AND turns.session_id > ?)
    OR (sessions.updated_at = ? AND turns.session_id = ? AND sequence < ?))
  ORDER BY sessions.updated_at DESC, turns.session_id, sequence DESC LIMIT ?`
