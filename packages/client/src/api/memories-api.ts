import type { CreateMemory, Memory, MemoryBatch, MemoryQuery, Page, UpdateMemory } from '@parley/protocol/rest'
import type { Rest } from '../rest/rest.ts'

export type MemoriesApi = {
  /** What is known already is not made a second time: the one that is there comes back. */
  createMemory(memory: CreateMemory): Promise<Memory>
  /** One's own, the newest first. */
  listMemories(query?: MemoryQuery): Promise<Page<Memory>>
  getMemory(id: number): Promise<Memory>
  /** `null` leaves a field, `""` clears it. */
  updateMemory(id: number, change: UpdateMemory): Promise<Memory>
  setMemoryDisabled(id: number, disabled: boolean): Promise<Memory>
  deleteMemory(id: number): Promise<void>
  /** How many were really changed. */
  changeMemories(batch: MemoryBatch): Promise<number>
  /** Whether a session remembers and recalls. */
  setMemoryEnabled(session_id: string, memory_enabled: boolean): Promise<void>
}

export function createMemoriesApi(rest: Rest): MemoriesApi {
  const path = (id: number) => `/api/memories/${id}`
  return {
    createMemory: (memory) => rest.post('/api/memories', memory),
    listMemories: (query = {}) => rest.get('/api/memories', { query: query as Record<string, string | number> }),
    getMemory: (id) => rest.get(path(id)),
    updateMemory: (id, change) => rest.put(path(id), change),
    setMemoryDisabled: (id, disabled) => rest.patch(path(id), { disabled }),
    deleteMemory: async (id) => void (await rest.del(path(id))),
    changeMemories: async (batch) => (await rest.post<{ count: number }>('/api/memories/batch', batch)).count,
    setMemoryEnabled: async (session_id, memory_enabled) =>
      void (await rest.patch(`/api/sessions/${encodeURIComponent(session_id)}/memory`, { memory_enabled })),
  }
}
