import { backgroundTaskSchema } from '@parley/protocol/schemas'
import { z } from 'zod'
import { appendEvents } from '../store/append.ts'
import { findGate } from '../store/gate.ts'
import type { Journal } from '../store/journal.ts'
import type { Schema } from '../store/schema.ts'
import { runSql, type Work } from '../store/work.ts'

export type TaskRow = Schema['background_tasks']

export type TaskEnd = Pick<TaskRow, 'exit_code' | 'failure'> & { status: 'completed' | 'failed' | 'stopped' }

/** As clients see it. `failure` is an addition of ours: why it failed, when the exit code does not tell. */
export const taskRecordSchema = z.object({ ...backgroundTaskSchema.shape, failure: z.string().optional() })
export type TaskRecord = z.infer<typeof taskRecordSchema>

export function toTask({ task_id, command, status, exit_code, failure, started_at, finished_at }: TaskRow): TaskRecord {
  return { task_id, command, status, exit_code, started_at, finished_at, ...(failure !== null && { failure }) }
}

/** The row of a task that begins. */
export function newTask(
  given: Pick<TaskRow, 'task_id' | 'session_id' | 'instance' | 'command' | 'started_at'>,
): TaskRow {
  return { ...given, status: 'running', exit_code: null, failure: null, stop_requested: 0, finished_at: null }
}

/** The row and `bg:started`, in one transaction. */
export function* insertBackgroundTask(row: TaskRow, journal: Journal): Work<TaskRow> {
  const { task_id, session_id, instance, command, status, started_at } = row
  yield* runSql(
    'INSERT INTO background_tasks (task_id, session_id, instance, command, status, started_at) VALUES (?, ?, ?, ?, ?, ?)',
    [task_id, session_id, instance, command, status, started_at],
  )
  yield* appendEvents(journal.appending(session_id, null, [notice('bg:started', row)]))
  return row
}

/** Records how a task ended, once, and tells the session. `undefined`: somebody else has recorded it, or it is gone. */
export function* endTask(
  task_id: string,
  end: TaskEnd & { finished_at: string },
  journal: Journal,
): Work<TaskRow | undefined> {
  const [row] = yield* runSql<TaskRow>(
    `UPDATE background_tasks SET status = ?, exit_code = ?, failure = ?, finished_at = ?
      WHERE task_id = ? AND status = 'running' RETURNING *`,
    [end.status, end.exit_code, end.failure, end.finished_at, task_id],
  )
  if (!row) return undefined
  if (yield* findGate(row.session_id))
    yield* appendEvents(journal.appending(row.session_id, null, [notice('bg:ended', row)]))
  return row
}

export function* findTask(task_id: string): Work<TaskRow | undefined> {
  const [row] = yield* runSql<TaskRow>('SELECT * FROM background_tasks WHERE task_id = ?', [task_id])
  return row
}

/** A session's, oldest first. */
export function* tasksOf(session_id: string): Work<TaskRow[]> {
  return yield* runSql<TaskRow>('SELECT * FROM background_tasks WHERE session_id = ? ORDER BY started_at, task_id', [
    session_id,
  ])
}

/** For whichever instance it runs under. */
export function* requestStop(task_id: string): Work<void> {
  yield* runSql('UPDATE background_tasks SET stop_requested = 1 WHERE task_id = ?', [task_id])
}

/** Ids of an instance's tasks that nobody asked to stop, recorded as lost or deleted. */
export function* wantedTasks(instance: string): Work<string[]> {
  const rows = yield* runSql<{ task_id: string }>(
    `SELECT task_id FROM background_tasks WHERE instance = ? AND status = 'running' AND stop_requested = 0`,
    [instance],
  )
  return rows.map(({ task_id }) => task_id)
}

export function* deleteTasks(session_id: string): Work<void> {
  yield* runSql('DELETE FROM background_tasks WHERE session_id = ?', [session_id])
}

/** Running tasks of other instances that have said their last word or are among `gone`; on SQLite, of all others. */
export function* findLost(instance: string, gone: ReadonlySet<string> | 'all others'): Work<TaskRow[]> {
  const silent = gone === 'all others' ? [] : [...gone]
  const dead =
    gone === 'all others'
      ? ''
      : `AND (instance NOT IN (SELECT id FROM instances) OR instance IN (${['NULL', ...silent.map(() => '?')].join()}))`
  return yield* runSql<TaskRow>(
    `SELECT * FROM background_tasks WHERE status = 'running' AND instance <> ? ${dead} LIMIT 100`,
    [instance, ...silent],
  )
}

function notice(type: 'bg:started' | 'bg:ended', row: TaskRow) {
  return { type, data: JSON.stringify({ task: toTask(row) }), run_id: null, loop_id: null, turn_id: null }
}
