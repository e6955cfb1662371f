import type { CreateMemory, Memory, MemoryBatch, MemoryQuery, Page, UpdateMemory } from '@parley/protocol/rest'
import type { Rest } from '../rest/rest.ts'

export type MemoriesApi = {
  /** What is known already is not made a second time: the one that is there comes back. */
  create(memory: CreateMemory): Promise<Memory>
  /** One's own, the newest first. */
  list(query?: MemoryQuery): Promise<Page<Memory>>
  get(id: number): Promise<Memory>
  /** `null` leaves a field, `""` clears it. */
  update(id: number, change: UpdateMemory): Promise<Memory>
  setDisabled(id: number, disabled: boolean): Promise<Memory>
  delete(id: number): Promise<void>
  /** How many were really changed. */
  change(batch: MemoryBatch): Promise<number>
  /** Whether a session remembers and recalls. */
  setEnabled(session_id: string, memory_enabled: boolean): Promise<void>
}

export function createMemoriesApi(rest: Rest): MemoriesApi {
  const path = (id: number) => `/api/memories/${id}`
  return {
    create: (memory) => rest.post('/api/memories', memory),
    list: (query = {}) => rest.get('/api/memories', { query: query as Record<string, string | number> }),
    get: (id) => rest.get(path(id)),
    update: (id, change) => rest.put(path(id), change),
    setDisabled: (id, disabled) => rest.patch(path(id), { disabled }),
    delete: async (id) => void (await rest.del(path(id))),
    change: async (batch) => (await rest.post<{ count: number }>('/api/memories/batch', batch)).count,
    setEnabled: async (session_id, memory_enabled) =>
      void (await rest.patch(`/api/sessions/${encodeURIComponent(session_id)}/memory`, { memory_enabled })),
  }
}
