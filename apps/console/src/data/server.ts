import type { Health } from '@parley/protocol/rest'
import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'
import { queryClient } from './query-client.ts'

const LOOK_MS = 5_000

/** What the owner is told of its health beside the word. */
export type OwnersHealth = Health & {
  details?: { sandbox: { level: string; reason: string | null; limits: Record<string, unknown> } }
}

/** 503 has the same body: not well is an answer, too. */
export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: async () => (await (await client.api.raw('/api/health')).json()) as OwnersHealth,
  refetchInterval: LOOK_MS,
})

export const instancesQuery = queryOptions({
  queryKey: ['instances'],
  queryFn: () => client.server.instances(),
  refetchInterval: LOOK_MS,
})

/** Whether a page of this origin is let in; asked again until the first one has come. */
export const embedOriginQuery = (origin: string | undefined) =>
  queryOptions({
    queryKey: ['embed-origin', origin],
    queryFn: () => client.server.embedOrigin(origin!),
    enabled: origin !== undefined,
    retry: false,
    refetchInterval: ({ state }) => (state.data?.first_visit_at || state.error ? false : 2_000),
  })

export const policyQuery = queryOptions({ queryKey: ['policy'], queryFn: () => client.policy.get() })

export const keysQuery = queryOptions({ queryKey: ['keys'], queryFn: () => client.apiKeys.listApiKeys() })

export const rereadKeys = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['keys'] })
