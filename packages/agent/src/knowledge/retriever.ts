import type { SearchOptions, SearchResult } from './documents.ts'
import type { KnowledgeStore } from './knowledge-store.ts'

/** [S15.1] As many documents as a message is given. */
const DOCUMENTS = 3

/** Finds what `chat` would give the model with a message. */
export class Retriever {
  readonly #store: Pick<KnowledgeStore, 'search'>

  constructor(store: Pick<KnowledgeStore, 'search'>) {
    this.#store = store
  }

  retrieve(message: string, options: SearchOptions = {}): Promise<SearchResult[]> {
    return this.#store.search(message, { topK: DOCUMENTS, method: 'hybrid', ...options })
  }
}
