import type { ContextStats } from '@parley/protocol/rest'
import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'
import { queryClient } from './query-client.ts'

const at = (id: string, rest: string) => `/api/sessions/${encodeURIComponent(id)}/${rest}`

/** What the next call of the model would be given; `head` says up to which event. */
export const contextQuery = (id: string, head: number) =>
  queryOptions({
    queryKey: ['context-stats', id, head],
    queryFn: () => client.api.get<ContextStats>(at(id, 'context-stats')),
    placeholderData: (before: ContextStats | undefined) => before,
  })

/** Earlier turns become a summary; resolves when it is written. */
export async function compactSession(id: string): Promise<void> {
  await client.api.post(at(id, 'compact'))
  await queryClient.invalidateQueries({ queryKey: ['context-stats', id] })
}
