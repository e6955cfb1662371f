import type { AuditPage, AuditQuery, AuditRecord } from '@parley/protocol/rest'
import { infiniteQueryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

export type AuditFilter = Pick<AuditQuery, 'actor' | 'action' | 'subject' | 'from' | 'to'>

const PAGE = 100
/** The most that one answer has. */
const CSV_PAGE = 200
export const MOST_SAVED = 10_000

/** Who did what, the newest first. Rows never change, so pages that were read stay true. */
export const auditQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam }): Promise<AuditPage> =>
      client.ledger.audit({ ...filter, limit: PAGE, ...(pageParam && { before: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: ({ next_before }: AuditPage) => next_before ?? undefined,
    staleTime: 30_000,
    refetchOnWindowFocus: false,
  })

/** All of a filter, up to a bound. */
export async function readAudit(filter: AuditFilter): Promise<{ records: AuditRecord[]; isAll: boolean }> {
  const records: AuditRecord[] = []
  for (let before: string | null = ''; before !== null && records.length < MOST_SAVED;) {
    const page: AuditPage = await client.ledger.audit({ ...filter, limit: CSV_PAGE, ...(before && { before }) })
    records.push(...page.items)
    before = page.next_before
    if (before === null) return { records, isAll: true }
  }
  return { records, isAll: false }
}
