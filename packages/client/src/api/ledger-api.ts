import type { AuditPage, AuditQuery, UsageQuery, UsageReport } from '@parley/protocol/rest'
import type { Rest } from '../rest/rest.ts'

/** What was used and what was done. */
export type LedgerApi = {
  /** Runs, tokens, costs and times: one's own and one's visitors', for owners everybody's. A week unless a range is said. */
  usage(query?: UsageQuery): Promise<UsageReport>
  /** Who did what, the newest first. For owners. */
  audit(query?: AuditQuery): Promise<AuditPage>
}

export function createLedgerApi(rest: Rest): LedgerApi {
  return {
    usage: (query = {}) => rest.get('/api/usage', { query }),
    audit: (query = {}) => rest.get('/api/audit', { query: query as Record<string, string | number> }),
  }
}
