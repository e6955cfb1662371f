import { AgentError, isErrorCode } from '@parley/protocol'
import type { FeedSource } from '../../feed/feed.ts'
import type { Accepted, BranchResult } from '../../sessions/service.ts'
import { readStored } from '../../store/stored-json.ts'

/** What became of files that were put back, whoever did it; `undefined` when the signal came first. */
export async function waitForRestore(
  { journal }: FeedSource,
  { session_id, run_id, since }: Accepted,
  signal: AbortSignal,
): Promise<BranchResult | undefined> {
  for await (const page of journal.follow(session_id, { since, signal })) {
    const end = page.find((event) => event.type === 'run:quiet_end' && event.run_id === run_id)
    if (!end) continue
    const { error, result } = (readStored(end.data) ?? {}) as {
      error?: { code: string; message: string } | null
      result?: BranchResult
    }
    if (result) return result
    const code = isErrorCode(error?.code) ? error.code : 'storage_unavailable'
    throw new AgentError(code, error?.message ?? 'The files could not be put back.', { details: { session_id } })
  }
  return undefined
}
