import { keepPreviousData, queryOptions } from '@tanstack/react-query'

/** Whoever takes a run over skips so many numbers: a session that has not come so far was never taken over. */
const SKIPPED = 10_000

export const takeOversQuery = (id: string, head: number) =>
  queryOptions({
    queryKey: ['take-overs', id, head],
    queryFn: async ({ signal }) => (await import('./read-take-overs.ts')).readTakeOvers(id, signal),
    enabled: head > SKIPPED,
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  })
