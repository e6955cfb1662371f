import type { DriveOptions } from './drive-run.ts'
import { endOfRun } from './end-run.ts'

/** A run that several instances in a row could not carry on ends here, with every open turn and call closed. */
export async function giveUp(drive: DriveOptions, message: string): Promise<void> {
  const { journal, loaded } = drive
  const open = [...loaded.record.open].map(({ turn }) => turn).sort((a, b) => b.sequence - a.sequence)
  journal.write((book) => {
    for (const { turn_id, tool_calls } of open) {
      if (!book.has(turn_id)) continue
      for (const { id, status } of tool_calls)
        if (status === 'pending' || status === 'awaiting_answer') book.settleCall(turn_id, id, 'error', message, 0)
      book.endTurn(turn_id, 'failed', `recovery_failed: ${message}`)
    }
  })
  await journal.commit((append) =>
    endOfRun({
      ...drive,
      append,
      refs: [],
      outcome: { status: 'failed', finish_reason: null, error: { code: 'recovery_failed', message } },
    }),
  )
  journal.close()
}
