import type { McpServerHealth, McpTest } from '@parley/protocol/rest'
import type { Rest } from '../rest/rest.ts'

export type McpServersApi = {
  list(): Promise<McpServerHealth[]>
  /** For the owner: whether it answers now; one that is down is tried again. */
  test(name: string): Promise<McpTest>
  /** For the owner: calls under way fail. */
  restart(name: string): Promise<McpServerHealth>
}

export function createMcpServersApi(rest: Rest): McpServersApi {
  const path = (name: string) => `/api/mcp-servers/${encodeURIComponent(name)}`
  return {
    list: async () => (await rest.get<{ items: McpServerHealth[] }>('/api/mcp-servers')).items,
    test: (name) => rest.post(`${path(name)}/test`),
    restart: (name) => rest.post(`${path(name)}/restart`),
  }
}
