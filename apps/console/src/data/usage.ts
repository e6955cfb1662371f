import type { UsageQuery, UsageReport } from '@parley/protocol/rest'
import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

export type UsageAsked = Required<Pick<UsageQuery, 'from' | 'to' | 'timezone'>> & Pick<UsageQuery, 'bucket' | 'by'>

/** What runs have used in a range: the reader's own, for owners everybody's. */
export const usageQuery = (asked: UsageAsked) =>
  queryOptions({
    queryKey: ['usage', asked],
    queryFn: (): Promise<UsageReport> => client.ledger.usage(asked),
    staleTime: 30_000,
  })
