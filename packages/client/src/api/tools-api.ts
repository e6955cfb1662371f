import type { Tool, ToolDetail, ToolList } from '@parley/protocol/rest'
import type { Rest } from '../rest/rest.ts'

export type ToolsApi = {
  /** All of them, and what confines their commands. */
  list(): Promise<ToolList>
  /** With your last twenty calls of it. */
  get(name: string): Promise<ToolDetail>
  /** For the owner: agrees to a foreign tool as it is offered now; `digest` names that version. */
  approve(name: string, digest: string): Promise<Tool>
}

export function createToolsApi(rest: Rest): ToolsApi {
  const path = (name: string) => `/api/tools/${encodeURIComponent(name)}`
  return {
    list: () => rest.get('/api/tools'),
    get: (name) => rest.get(path(name)),
    approve: (name, digest) => rest.post(`${path(name)}/approve`, { digest }),
  }
}
