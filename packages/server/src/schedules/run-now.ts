import { AgentError } from '@parley/protocol'
import { databaseNow } from '../store/database-now.ts'
import { runSql, type Work } from '../store/work.ts'
import {
  type Begun,
  beginRun,
  type ClaimOptions,
  holdPrevious,
  leavePrevious,
  Outdated,
  recordSlot,
} from './claim-slots.ts'
import { demandTask, type ScheduleRow } from './schedule-rows.ts'
import { isOver } from './slot-ends.ts'
import type { SlotRow } from './slot-rows.ts'
import { invalid } from './timetable.ts'

/** A task that changes more often than that meanwhile is no longer changed by a person. */
const ATTEMPTS = 5

/** [W11.6] A run because somebody asks for it, whether one is due or not. */
export async function runNow(user_id: string, task_id: string, options: ClaimOptions): Promise<SlotRow> {
  const { engine } = options
  for (let attempt = 1; ; attempt++)
    try {
      const task = await engine.read(() => demandTask(user_id, task_id))
      const { session_id } = await beginRun(task, options, (begun) => claim(task, begun, options))
      const [row] = await engine.select<SlotRow>('SELECT * FROM slots WHERE task_id = ? AND session_id = ?', [
        task_id,
        session_id,
      ])
      return row!
    } catch (error) {
      if (!(error instanceof Outdated) || attempt === ATTEMPTS) throw error
    }
}

function* claim(task: ScheduleRow, begun: Begun, options: ClaimOptions): Work<void> {
  const previous = yield* holdPrevious(task)
  const held = yield* runSql('UPDATE schedules SET version = version WHERE id = ? AND version = ? RETURNING id', [
    task.id,
    task.version,
  ])
  if (held.length === 0) throw new Outdated()
  if (previous && !isOver(previous.standing)) throw stillActive(previous.slot)
  const now = yield* databaseNow()
  if (task.expires_at !== null && Date.parse(task.expires_at) < now)
    throw invalid('expires_at', 'The task has expired; nothing runs after that.')
  yield* leavePrevious(task, previous, options)
  yield* recordSlot(task, { slot: yield* freeSlot(task.id, now), fate: 'running', is_manual: 1, ...begun }, options)
}

/** Not a whole minute, which may be due. */
function* freeSlot(task_id: string, now: number): Work<number> {
  const [last] = yield* runSql<{ slot: number | null }>('SELECT max(slot) AS slot FROM slots WHERE task_id = ?', [
    task_id,
  ])
  const slot = Math.max(now, (last?.slot ?? 0) + 1)
  return slot % 60_000 === 0 ? slot + 1 : slot
}

function stillActive({ session_id }: SlotRow): AgentError {
  return new AgentError('session_busy', 'The previous run of this task is still active.', { details: { session_id } })
}
