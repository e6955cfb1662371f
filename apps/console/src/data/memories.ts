import type { CreateMemory, Memory, MemoryBatch, MemoryQuery, Page, UpdateMemory } from '@parley/protocol/rest'
import { infiniteQueryOptions, type InfiniteData, queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'
import { queryClient } from './query-client.ts'

const PAGE = 50
/** So many at once are changed by one request. */
export const MAX_BATCH = 100

export type MemoryFilter = Pick<MemoryQuery, 'keyword' | 'type' | 'topic' | 'status'>
type Pages = InfiniteData<Page<Memory>, number>

/** Deleted here, though the server is told only when it can no longer be taken back. */
const hidden = new Set<number>()

/** The reader's own that match, the newest first. */
export const memoriesQuery = (filter: MemoryFilter = {}) =>
  infiniteQueryOptions({
    queryKey: ['memories', filter],
    queryFn: async ({ pageParam }) => {
      const page = await client.memories.list({ ...filter, limit: PAGE, offset: pageParam })
      return { ...page, items: page.items.filter(({ id }) => !hidden.has(id)), offset: pageParam }
    },
    initialPageParam: 0,
    getNextPageParam: ({ total, offset }) => (offset + PAGE < total ? offset + PAGE : undefined),
  })

export const memoryQuery = (id: number) =>
  queryOptions({ queryKey: ['memory', id], queryFn: () => client.memories.get(id) })

/** What took the place of a memory, and what it took the place of, the newest first. */
export const memoryHistoryQuery = (memory: Memory) =>
  queryOptions({
    queryKey: ['memory-history', memory.id, memory.updated_at, memory.superseded_by],
    queryFn: async () => ({ newer: await newerThan(memory), older: await olderThan(memory) }),
  })

async function newerThan({ superseded_by }: Memory): Promise<Memory[]> {
  if (superseded_by === null) return []
  const next = await client.memories.get(superseded_by)
  return [...(await newerThan(next)), next]
}

async function olderThan(memory: Memory): Promise<Memory[]> {
  const replaced = await allReplaced()
  const older: Memory[] = []
  for (let next = [memory.id]; next.length > 0;) {
    const found = replaced.filter(({ superseded_by }) => superseded_by !== null && next.includes(superseded_by))
    older.push(...found)
    next = found.map(({ id }) => id)
  }
  return older
}

/** There are at most a thousand of them. */
async function allReplaced(): Promise<Memory[]> {
  const all: Memory[] = []
  for (;;) {
    const page = await client.memories.list({ status: 'superseded', limit: 100, offset: all.length })
    all.push(...page.items)
    if (page.items.length === 0 || all.length >= page.total) return all
  }
}

export async function createMemory(memory: CreateMemory): Promise<Memory> {
  const made = await client.memories.create(memory)
  await rereadMemories()
  return made
}

export async function changeMemory(id: number, change: UpdateMemory): Promise<void> {
  const changed = await client.memories.update(id, change)
  patch([id], changed)
}

/** Shown at once; what the server refuses is taken back. */
export async function switchMemories(ids: readonly number[], disabled: boolean): Promise<void> {
  patch(ids, { disabled })
  await send(disabled ? 'disable' : 'enable', ids)
}

/** Out of all lists until they are deleted or brought back. */
export function hideMemories(ids: readonly number[]): void {
  for (const id of ids) hidden.add(id)
  mapItems((items) => items.filter(({ id }) => !hidden.has(id)))
}

export async function bringBackMemories(ids: readonly number[]): Promise<void> {
  for (const id of ids) hidden.delete(id)
  await rereadMemories()
}

export async function deleteMemories(ids: readonly number[]): Promise<void> {
  try {
    await send('delete', ids)
  } catch (error) {
    await bringBackMemories(ids)
    throw error
  }
}

async function send(action: MemoryBatch['action'], ids: readonly number[]): Promise<void> {
  try {
    await client.memories.change({ action, ids: [...ids] })
  } finally {
    await rereadMemories()
  }
}

async function rereadMemories(): Promise<void> {
  await Promise.all(
    ['memories', 'memory', 'memory-history'].map((name) => queryClient.invalidateQueries({ queryKey: [name] })),
  )
}

function patch(ids: readonly number[], change: Partial<Memory>): void {
  mapItems((items) => items.map((memory) => (ids.includes(memory.id) ? { ...memory, ...change } : memory)))
  for (const id of ids) queryClient.setQueryData<Memory>(['memory', id], (memory) => memory && { ...memory, ...change })
}

function mapItems(change: (items: Memory[]) => Memory[]): void {
  queryClient.setQueriesData<Pages>(
    { queryKey: ['memories'] },
    (pages) => pages && { ...pages, pages: pages.pages.map((page) => ({ ...page, items: change(page.items) })) },
  )
}
