import type { RunError } from '../core/loop-events.ts'
import { endOfRun, type RunEnd } from './end-run.ts'

/** A run that cannot be carried on ends here, with every open turn and call closed. */
export async function giveUp(
  run: Pick<RunEnd, 'engine' | 'lease' | 'loaded' | 'journal' | 'clock'>,
  error: RunError,
  finish_reason: 'tool_error' | null = null,
): Promise<void> {
  const { journal } = run
  journal.write((book) => {
    for (const { turn_id, tool_calls } of book.openTurns()) {
      for (const { id, status } of tool_calls)
        if (status === 'pending' || status === 'awaiting_answer')
          book.settleCall(turn_id, id, 'error', error.message, 0)
      book.endTurn(turn_id, 'failed', `${error.code}: ${error.message}`)
    }
  })
  const outcome = { status: 'failed', finish_reason, error } as const
  await journal.commit((append) => endOfRun({ ...run, append, refs: [], outcome }))
  await journal.close()
}
