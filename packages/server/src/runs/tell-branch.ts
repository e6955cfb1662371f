import type { Branch, SessionStatus } from '@parley/protocol'
import { tasksOfBranch } from '../store/task-rows.ts'
import type { Work } from '../store/work.ts'
import type { TurnBook } from './turn-book.ts'

type Told = { branch: Branch; updated_at: string; status?: SessionStatus }

/** [W12.1] The one event that tells where the conversation is now; and the task list as it is there, if that is another. */
export function* tellBranch(book: TurnBook, session_id: string, told: Told): Work<void> {
  book.notify('session:updated', told)
  const tasks = yield* tasksOfBranch(session_id)
  if (tasks) book.notify('task:updated', { tasks })
}
