import { AgentError, type TurnProjection } from '@parley/protocol'
import type { FeedSource } from '../../feed/feed.ts'
import type { Accepted } from '../../sessions/service.ts'
import { readEvent } from '../../store/stored-event.ts'
import { readStored } from '../../store/stored-json.ts'

/**
 * The turn of a compaction that is over, whoever did it. Throws `compaction_failed` when it came to nothing; `undefined` when
 * the signal came first.
 */
export async function waitForCompaction(
  { journal, rewording }: FeedSource,
  { session_id, run_id, since }: Accepted,
  signal: AbortSignal,
): Promise<TurnProjection | undefined> {
  let last: TurnProjection | undefined
  for await (const page of journal.follow(session_id, { since, signal })) {
    for (const event of page) {
      if (event.run_id !== run_id) continue
      const told = readEvent(event)
      // One that a lost server left half done ended as failed, and another one followed.
      if (told?.name === 'turn:end' && told.payload.kind === 'compaction') last = told.payload
      if (event.type !== 'run:quiet_end') continue
      const { status } = (readStored(event.data) ?? {}) as { status?: string }
      if (last && status === 'completed') return rewording.turn(session_id, last)
      throw new AgentError('compaction_failed', last?.failure_reason ?? 'The conversation could not be compacted.', {
        details: { session_id },
      })
    }
  }
  return undefined
}
