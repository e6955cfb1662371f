import type { JsonObject, ModelMessage } from '../../ports.ts'
import { readStoredList } from '../../store/stored-json.ts'
import { runSql, type Work } from '../../store/work.ts'

export type AnalysisRow = { id: number; session_id: string; call_id: string; memory: ModelMessage[] }

/** What a program has left: charts, nothing yet, or something that is no list of charts. */
export type Charts = { state: 'ready'; charts: JsonObject[] } | { state: 'none' } | { state: 'bad' }

type Stored = { id: number | string; session_id: string; call_id: string; memory: string }

const COLUMNS = 'id, session_id, call_id, memory'

/** The one that this call began before, or a new one. */
export function* beginAnalysis(session_id: string, call_id: string, now: number): Work<AnalysisRow> {
  const [known] = yield* runSql<Stored>(`SELECT ${COLUMNS} FROM analyses WHERE session_id = ? AND call_id = ?`, [
    session_id,
    call_id,
  ])
  if (known) return readRow(known)
  const [made] = yield* runSql<Stored>(
    `INSERT INTO analyses (session_id, call_id, state, memory, created_at, updated_at)
      VALUES (?, ?, 'none', '[]', ?, ?) RETURNING ${COLUMNS}`,
    [session_id, call_id, now, now],
  )
  return readRow(made!)
}

export function* findAnalysis(session_id: string, id: number): Work<AnalysisRow | undefined> {
  const [row] = yield* runSql<Stored>(`SELECT ${COLUMNS} FROM analyses WHERE session_id = ? AND id = ?`, [
    session_id,
    id,
  ])
  return row && readRow(row)
}

export function* keepMemory({ id, call_id, memory }: Omit<AnalysisRow, 'session_id'>, now: number): Work<void> {
  yield* runSql('UPDATE analyses SET call_id = ?, memory = ?, updated_at = ? WHERE id = ?', [
    call_id,
    JSON.stringify(memory),
    now,
    id,
  ])
}

export function* keepCharts(id: number, found: Charts, now: number): Work<void> {
  const charts = found.state === 'ready' ? JSON.stringify(found.charts) : null
  yield* runSql('UPDATE analyses SET state = ?, charts = ?, updated_at = ? WHERE id = ?', [
    found.state,
    charts,
    now,
    id,
  ])
}

/** Whose it is, and what it has left; `undefined` when there is none of this number. */
export function* readCharts(id: number): Work<{ session_id: string; found: Charts } | undefined> {
  const [row] = yield* runSql<{ session_id: string; state: Charts['state']; charts: string | null }>(
    'SELECT session_id, state, charts FROM analyses WHERE id = ?',
    [id],
  )
  if (!row) return undefined
  const { session_id, state } = row
  if (state === 'none') return { session_id, found: { state } }
  const charts = readStoredList(row.charts ?? '')
  return {
    session_id,
    found: state === 'ready' && charts ? { state, charts: charts as JsonObject[] } : { state: 'bad' },
  }
}

function readRow({ id, memory, ...row }: Stored): AnalysisRow {
  return { ...row, id: Number(id), memory: (readStoredList(memory) ?? []) as ModelMessage[] }
}
