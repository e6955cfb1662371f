import type { Agent, AgentDetail } from '@parley/protocol/rest'
import type { Rest } from '../rest/rest.ts'

export type AgentsApi = {
  /** The agents that a session may name, with their versions; visitors see names alone. */
  list(): Promise<Agent[]>
  get(name: string): Promise<AgentDetail>
  /** Makes a version the one that new sessions get: back or forward. */
  use(name: string, version: string): Promise<Agent>
}

export function createAgentsApi(rest: Rest): AgentsApi {
  const path = (name: string) => `/api/agents/${encodeURIComponent(name)}`
  return {
    list: async () => (await rest.get<{ items: Agent[] }>('/api/agents')).items,
    get: (name) => rest.get(path(name)),
    use: (name, version) => rest.post(`${path(name)}/versions/${encodeURIComponent(version)}:use`),
  }
}
