import { hash } from 'node:crypto'
import { basename } from 'node:path'
import { AgentError } from '@parley/protocol'
import type {
  CollectionLimits,
  DocumentChange,
  DocumentInput,
  DocumentsPage,
  ImportedFile,
  KnowledgeCollection,
  KnowledgeDocument,
  KnowledgeResult,
} from '@parley/protocol/rest'
import { runSql } from '../store/work.ts'
import {
  collectionsOf,
  DEFAULT_COLLECTION,
  deleteCollection,
  ensureCollection,
  filledCollections,
  findCollection,
  limitCollection,
  noCollection,
  spaceOf,
  toCollection,
} from './collections.ts'
import { categoriesOf, demandDocument, findFile, type Listed, listDocuments, toEntry } from './document-rows.ts'
import { confidenceOf, type Finder, findSources, type Wanted } from './find-sources.ts'
import { kindOf } from './reading/document-kind.ts'
import type { DocumentReader } from './reading/document-reader.ts'
import { excerptOf } from './sources.ts'
import { storeDocument, type StoreOptions } from './store-document.ts'
import { dropVersions } from './versions.ts'

export type KnowledgeOptions = StoreOptions & Finder & { reader: DocumentReader }

export type NewFile = { source: string; category?: string | undefined; collection?: string | undefined }
export type FileBytes = { bytes: Uint8Array; type: string | undefined; signal: AbortSignal }
export type Searched = Pick<Wanted, 'query' | 'category' | 'minScore' | 'method'> & {
  topK: number
  collection?: string | undefined
}

/** An account's documents: what people and programs do with them. */
export class Knowledge {
  readonly #options: KnowledgeOptions

  constructor(options: KnowledgeOptions) {
    this.#options = options
  }

  async add(account_id: string, input: DocumentInput): Promise<KnowledgeDocument> {
    const { category, title = null, content, metadata = {}, collection = DEFAULT_COLLECTION } = input
    const collection_id = await this.#collection(account_id, collection)
    const id = this.#options.ids.next('doc')
    const file = { source: null, digest: null, isChange: false }
    return storeDocument({ id, account_id, collection_id, category, title, content, metadata, ...file }, this.#options)
  }

  /** A file under the path of an earlier one takes that one's place; one with the same bytes changes nothing. */
  async addFile(account_id: string, file: NewFile, { bytes, type, signal }: FileBytes): Promise<ImportedFile> {
    const { engine, ids, reader } = this.#options
    const { source, category = DEFAULT_COLLECTION, collection = DEFAULT_COLLECTION } = file
    const kind = kindOf({ name: source, ...(type !== undefined && { type }) })
    if (!kind)
      throw new AgentError(
        'invalid_payload',
        `${source}: Markdown, text, HTML and PDF can be read, and this is neither.`,
      )
    const collection_id = await this.#collection(account_id, collection)
    const digest = hash('sha256', bytes, 'hex')
    const before = await engine.read(() => findFile(collection_id, source))
    if (before?.digest === digest && before.category === category)
      return { status: 'unchanged', document: toEntry(before) }
    const { title, text } = await reader.read({ name: source, kind, bytes }, signal)
    const document = {
      ...{ id: before?.id ?? ids.next('doc'), account_id, collection_id, category, source, digest },
      ...{ title: title ?? basename(source), content: text, metadata: {}, isChange: before !== undefined },
    }
    const { content: _content, ...entry } = await storeDocument(document, this.#options)
    return { status: before ? 'changed' : 'added', document: entry }
  }

  async change(account_id: string, id: string, change: DocumentChange): Promise<KnowledgeDocument> {
    const { engine } = this.#options
    const before = await this.get(account_id, id)
    const collection_id = await engine.read(() => findCollection(account_id, before.collection))
    const { category = before.category, content = before.content, metadata = before.metadata } = change
    const title = change.title === undefined ? before.title : change.title
    // Its text is no longer the file's, which may be imported again.
    const digest = change.content === undefined ? before.digest : null
    const document = { category, content, metadata, title, digest, source: before.source, isChange: true }
    return storeDocument({ ...document, id, account_id, collection_id: collection_id! }, this.#options)
  }

  /** From here on nothing of it is found; its passages are removed some at a time. */
  async delete(account_id: string, id: string): Promise<void> {
    const { engine } = this.#options
    await engine.write(function* () {
      yield* demandDocument(account_id, id)
      yield* runSql('DELETE FROM knowledge_sources WHERE document_id = ?', [id])
      yield* runSql('DELETE FROM knowledge_documents WHERE account_id = ? AND id = ?', [account_id, id])
    })
    await dropVersions(engine, id)
  }

  /** Of an account that is gone. */
  async deleteAll(account_id: string): Promise<void> {
    const { engine } = this.#options
    for (;;) {
      const { items } = await this.list(account_id, { limit: 50 })
      if (items.length === 0) break
      for (const { id } of items) await this.delete(account_id, id)
    }
    await engine.write(() => runSql('DELETE FROM knowledge_collections WHERE account_id = ?', [account_id]))
  }

  get(account_id: string, id: string): Promise<KnowledgeDocument> {
    return this.#options.engine.read(() => demandDocument(account_id, id))
  }

  async list(account_id: string, query: Listed): Promise<DocumentsPage> {
    const rows = await this.#options.engine.read(() => listDocuments(account_id, query))
    const items = rows.slice(0, query.limit)
    return { items: items.map(toEntry), ...(rows.length > query.limit && { nextCursor: items.at(-1)!.id }) }
  }

  categories(account_id: string): Promise<{ name: string; documentCount: number }[]> {
    return this.#options.engine.read(() => categoriesOf(account_id))
  }

  /** [S15.4] Documents, each once, with their best passage. The account finds what is in all of its collections. */
  async search(account_id: string, { topK, collection, ...asked }: Searched): Promise<KnowledgeResult[]> {
    const { engine } = this.#options
    const all = await engine.read(() => filledCollections(account_id))
    const spaces = all.filter(({ name }) => (collection ?? name) === name).map(({ id }) => spaceOf(id))
    const found = await findSources(this.#options, { ...asked, spaces, documents: topK, passagesEach: 1 })
    return found.map(({ document, score, text }) => ({
      ...{ document: toEntry(document), score, confidence: confidenceOf(score) },
      excerpt: excerptOf(text),
      passage: text,
    }))
  }

  async collections(account_id: string): Promise<KnowledgeCollection[]> {
    return (await this.#options.engine.read(() => collectionsOf(account_id))).map(toCollection)
  }

  async setCollection(account_id: string, name: string, limits: CollectionLimits): Promise<KnowledgeCollection> {
    const { engine } = this.#options
    const { agents = null, subjects = null } = limits
    const id = await this.#collection(account_id, name)
    await engine.write(() => limitCollection(id, { agents, subjects }))
    const row = (await engine.read(() => collectionsOf(account_id))).find((each) => each.id === id)
    if (!row) throw noCollection(name)
    return toCollection(row)
  }

  deleteCollection(account_id: string, name: string): Promise<void> {
    return this.#options.engine.write(() => deleteCollection(account_id, name))
  }

  async #collection(account_id: string, name: string): Promise<string> {
    const { engine, clock, ids } = this.#options
    // Most documents go where others are already: no commit for that.
    const known = await engine.read(() => findCollection(account_id, name))
    if (known !== undefined) return known
    const now = new Date(clock.now()).toISOString()
    return engine.write(() => ensureCollection({ account_id, name, now }, ids))
  }
}
