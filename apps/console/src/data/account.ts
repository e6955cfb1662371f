import type { Agent, Identity, ModelsConfig, ServerConfig, Version } from '@parley/protocol/rest'
import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

/** What changes only with the server or with a new sign-in. */
const HOUR_MS = 3_600_000

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: (): Promise<Identity> => client.auth.getMe(),
  staleTime: HOUR_MS,
})

export const versionQuery = queryOptions({
  queryKey: ['version'],
  queryFn: () => client.api.get<Version>('/api/version'),
  staleTime: HOUR_MS,
})

export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: () => client.api.get<ServerConfig>('/api/config'),
  staleTime: HOUR_MS,
})

export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: (): Promise<ModelsConfig> => client.models.getModelsConfig(),
})

/** Those that can answer: a folder that never became a version cannot. */
export const agentsQuery = queryOptions({
  queryKey: ['agents'],
  queryFn: async (): Promise<Agent[]> => {
    const { items } = await client.api.get<{ items: Agent[] }>('/api/agents')
    return items.filter(({ name, version }) => name === 'default' || version !== null)
  },
})
