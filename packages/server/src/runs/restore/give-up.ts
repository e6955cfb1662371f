import type { RunError } from '../../core/loop-events.ts'
import type { DriveOptions } from '../drive/drive-options.ts'
import { endQuietRun } from '../drive/end-quiet.ts'
import { endOfRun, type RunEnd } from '../drive/end-run.ts'
import { gateAndCommands } from '../../store/gate.ts'

/** A run that cannot be carried on ends here, with every open turn and call closed. */
export async function giveUp(
  run: Pick<RunEnd, 'engine' | 'lease' | 'loaded' | 'journal' | 'clock'> &
    Pick<DriveOptions, 'startQueued' | 'beginner'>,
  error: RunError,
  finish_reason: 'tool_error' | null = null,
): Promise<void> {
  const { journal, engine, lease } = run
  // Whoever asked for a stop gets one.
  const { stop_requested } = await engine.write(() => gateAndCommands(lease))
  journal.write((book) => {
    for (const { turn_id, tool_calls } of book.openTurns()) {
      for (const { id, status } of tool_calls)
        if (status === 'pending' || status === 'awaiting_answer')
          book.settleCall(turn_id, {
            tool_call_id: id,
            status: stop_requested ? 'cancelled' : 'error',
            result: error.message,
          })
      if (stop_requested) book.endTurn(turn_id, 'interrupted')
      else book.endTurn(turn_id, 'failed', `${error.code}: ${error.message}`)
    }
  })
  const outcome = stop_requested
    ? ({ status: 'interrupted' } as const)
    : ({ status: 'failed', finish_reason, error } as const)
  if (run.loaded.options.kind !== undefined) {
    const begin = run.beginner()
    begin(await journal.commit((append) => endQuietRun({ ...run, append, error })))
  } else await journal.commit((append) => endOfRun({ ...run, append, refs: [], outcome }))
  await journal.close()
}
