import { isAgentError } from '@parley/protocol'
import type { GivenKnowledge } from '@parley/server/in-process'
import { demandNames } from '../agent-config.ts'
import { type Document, type DocumentInput, type SearchOptions, type SearchResult, toDocument } from './documents.ts'

const DOCUMENT = ['category', 'title', 'content', 'metadata']
const SEARCH = ['category', 'topK', 'method', 'minScore']
/** Of one request to the database. */
const PAGE = 200

/** Where documents are: an `AgenticLoop`, which opens its database when it is first asked. */
export type DocumentSource = { documents: () => Promise<GivenKnowledge> }

/**
 * [S15.5] The documents that an agent answers from, kept with its conversations. Rejects with a `TypeError` for input that
 * cannot be meant.
 */
export class KnowledgeStore {
  readonly #source: DocumentSource

  constructor(source: DocumentSource) {
    this.#source = source
  }

  async addDocument(input: DocumentInput): Promise<Document> {
    demandNames('addDocument', input, DOCUMENT)
    return toDocument(await this.#ask(({ add }) => add(input)))
  }

  async getDocument(id: string): Promise<Document | undefined> {
    const document = await this.#ask(({ get }) => ifThere(get(id)))
    return document && toDocument(document)
  }

  /** What is not named stays. Rejects if there is no such document: `code` is `not_found`. */
  async updateDocument(id: string, change: Partial<DocumentInput>): Promise<Document> {
    demandNames('updateDocument', change, DOCUMENT)
    return toDocument(await this.#ask((given) => given.change(id, change)))
  }

  /** Whether there was one. Nothing of it is found from then on, nor given to a model. */
  async deleteDocument(id: string): Promise<boolean> {
    return (await this.#ask((given) => ifThere(given.delete(id).then(() => true)))) ?? false
  }

  /** Best first; a question that no document is about finds nothing. */
  async search(query: string, options: SearchOptions = {}): Promise<SearchResult[]> {
    demandNames('search', options, SEARCH)
    return this.#ask(async ({ search, get }) => {
      const found = await search({ ...options, query })
      const results = found.map(async ({ document, ...result }) => {
        const whole = await ifThere(get(document.id))
        return whole ? [{ document: toDocument(whole), ...result }] : []
      })
      return (await Promise.all(results)).flat()
    })
  }

  /** Sorted by name. */
  listCategories(): Promise<{ name: string; documentCount: number }[]> {
    return this.#ask(({ categories }) => categories())
  }

  getDocumentsByCategory(category: string): Promise<Document[]> {
    return this.#ask(async (given) => {
      const documents: Document[] = []
      for await (const id of idsIn(given, category)) {
        const document = await ifThere(given.get(id))
        if (document) documents.push(toDocument(document))
      }
      return documents
    })
  }

  async getDocumentCount(category?: string): Promise<number> {
    const counted = await this.listCategories()
    return counted
      .filter(({ name }) => (category ?? name) === name)
      .reduce((sum, { documentCount }) => sum + documentCount, 0)
  }

  /** Deletes all documents. */
  clear(): Promise<void> {
    return this.#ask(async (given) => {
      for await (const id of idsIn(given)) await ifThere(given.delete(id))
    })
  }

  async #ask<T>(work: (given: GivenKnowledge) => Promise<T>): Promise<T> {
    const given = await this.#source.documents()
    try {
      return await work(given)
    } catch (error) {
      if (isAgentError(error) && error.code === 'invalid_payload') throw new TypeError(error.message, { cause: error })
      throw error
    }
  }
}

async function* idsIn({ list }: GivenKnowledge, category?: string): AsyncGenerator<string> {
  let cursor: string | undefined
  do {
    const page = await list({ category, cursor, limit: PAGE })
    for (const { id } of page.items) yield id
    cursor = page.nextCursor
  } while (cursor !== undefined)
}

/** Somebody may have deleted it. */
async function ifThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (isAgentError(error) && error.code === 'not_found') return undefined
    throw error
  }
}
