import type {
  CollectionLimits,
  DocumentChange,
  DocumentInput,
  DocumentsPage,
  DocumentsQuery,
  FileQuery,
  ImportedFile,
  KnowledgeCollection,
  KnowledgeDocument,
  KnowledgeResult,
  KnowledgeSearch,
} from '@parley/protocol/rest'
import type { Query, Rest } from '../rest/rest.ts'

/** The account's documents: answers come from them. */
export type KnowledgeApi = {
  /** The newest first, without their texts; `nextCursor` goes on. */
  list(query?: DocumentsQuery): Promise<DocumentsPage>
  get(id: string): Promise<KnowledgeDocument>
  add(document: DocumentInput): Promise<KnowledgeDocument>
  /** A file as it is: Markdown, text, HTML or PDF. One that comes again under its `source` takes the other's place. */
  addFile(file: Blob | Uint8Array<ArrayBuffer>, query: FileQuery, options?: AddFileOptions): Promise<ImportedFile>
  update(id: string, change: DocumentChange): Promise<KnowledgeDocument>
  delete(id: string): Promise<void>
  categories(): Promise<{ name: string; documentCount: number }[]>
  search(search: KnowledgeSearch): Promise<KnowledgeResult[]>
  collections(): Promise<KnowledgeCollection[]>
  /** Makes the collection, or changes who finds anything in it. */
  setCollection(name: string, limits?: CollectionLimits): Promise<KnowledgeCollection>
  /** Only an empty one: its documents are deleted first, one by one; `invalid_payload` while there are any. */
  deleteCollection(name: string): Promise<void>
}

export type AddFileOptions = {
  /** Media type of the file; default: the blob's own, else by the ending of `source`. */
  type?: string
  signal?: AbortSignal
}

/** Of the files that the server reads. */
const TYPES: Record<string, string> = {
  md: 'text/markdown',
  markdown: 'text/markdown',
  txt: 'text/plain',
  html: 'text/html',
  htm: 'text/html',
  pdf: 'application/pdf',
}

export function createKnowledgeApi(rest: Rest): KnowledgeApi {
  const root = '/api/knowledge'
  const at = (id: string) => `${root}/${encodeURIComponent(id)}`
  const collection = (name: string) => `${root}/collections/${encodeURIComponent(name)}`
  return {
    list: (query = {}) => rest.get(root, { query: { ...query } as Query }),
    get: (id) => rest.get(at(id)),
    add: (document) => rest.post(root, document),
    addFile: (file, query, { type, signal } = {}) => {
      const own = file instanceof Blob ? file.type : ''
      const ending = query.source.split('.').at(-1)!.toLowerCase()
      const bytes = new Blob([file], { type: type ?? (own || (TYPES[ending] ?? 'application/octet-stream')) })
      return rest.put(`${root}/files`, bytes, { query: { ...query }, ...(signal && { signal }) })
    },
    update: (id, change) => rest.patch(at(id), change),
    delete: async (id) => void (await rest.del(at(id))),
    categories: async () => (await rest.get<{ categories: Categories }>(`${root}/categories`)).categories,
    search: async (search) => (await rest.post<{ results: KnowledgeResult[] }>(`${root}/search`, search)).results,
    collections: async () =>
      (await rest.get<{ collections: KnowledgeCollection[] }>(`${root}/collections`)).collections,
    setCollection: (name, limits = {}) => rest.put(collection(name), limits),
    deleteCollection: async (name) => void (await rest.del(collection(name))),
  }
}

type Categories = { name: string; documentCount: number }[]
