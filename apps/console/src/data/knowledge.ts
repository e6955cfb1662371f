import { ParleyApiError } from '@parley/client'
import type { DocumentEntry, DocumentsPage, PromptTokens } from '@parley/protocol/rest'
import { infiniteQueryOptions, type InfiniteData, queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'
import { queryClient } from './query-client.ts'

const PAGE = 100
type Pages = InfiniteData<DocumentsPage, string>

/** Where documents go that name no collection. */
export const DEFAULT_COLLECTION = 'default'

export const collectionsQuery = queryOptions({
  queryKey: ['knowledge', 'collections'],
  queryFn: () => client.knowledge.collections(),
})

/** Of one collection, or of all of them; the newest first. */
export const documentsQuery = (collection: string) =>
  infiniteQueryOptions({
    queryKey: ['knowledge', 'documents', collection],
    queryFn: ({ pageParam }): Promise<DocumentsPage> =>
      client.knowledge.list({
        limit: PAGE,
        ...(collection && { collection }),
        ...(pageParam && { cursor: pageParam }),
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })

/** What an agent is given with a message: the best of so many documents, if they are good enough. */
export const AGENT_DOCUMENTS = 3
export const AGENT_CUT = 0.3
const BELOW_CUT_DOCUMENTS = 10

export type Search = { q: string; collection: string; isBelowShown: boolean }

export const searchQuery = ({ q, collection, isBelowShown }: Search) =>
  queryOptions({
    queryKey: ['knowledge', 'search', collection, q, isBelowShown],
    queryFn: () =>
      client.knowledge.search({
        query: q,
        topK: isBelowShown ? BELOW_CUT_DOCUMENTS : AGENT_DOCUMENTS,
        minScore: isBelowShown ? 0 : AGENT_CUT,
        ...(collection && { collection }),
      }),
    enabled: q !== '',
  })

/** As the default model counts, or nearly. */
export const tokensQuery = (prompt: string) =>
  queryOptions({
    queryKey: ['tokens', prompt],
    queryFn: () => client.api.post<PromptTokens>('/api/sessions/tokenize/prompt', { prompt }),
    enabled: prompt !== '',
  })

export const rereadKnowledge = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['knowledge'] })

export async function makeCollection(name: string): Promise<void> {
  await client.knowledge.setCollection(name)
  await rereadKnowledge()
}

/** Only an empty one. */
export async function deleteCollection(name: string): Promise<void> {
  await client.knowledge.deleteCollection(name)
  await rereadKnowledge()
}

/** Out of all lists, until they are read again. */
export function hideDocument({ id }: DocumentEntry): void {
  queryClient.setQueriesData<Pages>(
    { queryKey: ['knowledge', 'documents'] },
    (pages) =>
      pages && {
        ...pages,
        pages: pages.pages.map((page) => ({ ...page, items: page.items.filter((entry) => entry.id !== id) })),
      },
  )
}

/** Also while the page is being left: the request outlives it. */
export async function deleteDocument({ id }: DocumentEntry): Promise<void> {
  const path = `/api/knowledge/${encodeURIComponent(id)}`
  try {
    const response = await client.api.raw(path, { method: 'DELETE', keepalive: true })
    if (!response.ok) throw new ParleyApiError(response.status, (await response.json()) as { detail: string })
  } finally {
    await rereadKnowledge()
  }
}
