import { z } from 'zod'
import { columnText, openObject } from './open-schema.ts'

/** [S15.5] */
const CONTENT = 1024 * 1024
const title = columnText.min(1).max(500)
const category = columnText.trim().min(1).max(100)
const metadata = z.record(z.string().max(200), z.unknown())
/** A collection is named like a folder. */
const collectionName = z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N} _.-]{0,99}$/u, 'Letters, digits, space, _ . and -')

const input = {
  category,
  title: title.nullish(),
  content: columnText.min(1).max(CONTENT),
  metadata: metadata.optional(),
  /** Where it goes; `default` where none is named. */
  collection: collectionName.optional(),
}

/** [S15.2] Body of `POST /api/knowledge`. */
export const documentInputSchema = z.object(input)
export type DocumentInput = z.input<typeof documentInputSchema>

/** Body of `PATCH /api/knowledge/{id}`. */
export const documentChangeSchema = documentInputSchema.omit({ collection: true }).partial()
export type DocumentChange = z.input<typeof documentChangeSchema>

/** A document as lists show it. */
export const documentEntrySchema = openObject({
  id: z.string(),
  category: z.string(),
  title: z.string().nullable(),
  metadata,
  collection: z.string(),
  /** Of an imported file: its path, as the importer calls it, and the SHA-256 of its bytes. */
  source: z.string().nullable(),
  digest: z.string().nullable(),
  /** Characters of its text. */
  size: z.int(),
  passages: z.int(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type DocumentEntry = z.infer<typeof documentEntrySchema>
/** [S15.2] */
export const knowledgeDocumentSchema = openObject({ ...documentEntrySchema.shape, content: z.string() })
export type KnowledgeDocument = z.infer<typeof knowledgeDocumentSchema>

/** Query of `GET /api/knowledge`. */
export const documentsQuerySchema = z.strictObject({
  category: z.string().optional(),
  collection: z.string().optional(),
  cursor: z.string().max(300).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})
export type DocumentsQuery = z.input<typeof documentsQuerySchema>
export const documentsPageSchema = openObject({
  items: z.array(documentEntrySchema),
  nextCursor: z.string().optional(),
})
export type DocumentsPage = z.infer<typeof documentsPageSchema>

/** Query of `PUT /api/knowledge/files`, whose body is the file itself. */
export const fileQuerySchema = z.strictObject({
  /** The file's path, as the importer calls it: a file that comes again under it takes the other's place. */
  source: columnText.min(1).max(1_000),
  category: category.optional(),
  collection: collectionName.optional(),
})
export type FileQuery = z.input<typeof fileQuerySchema>
export const importedFileSchema = openObject({
  status: z.enum(['added', 'changed', 'unchanged']),
  document: documentEntrySchema,
})
export type ImportedFile = z.infer<typeof importedFileSchema>

/** [S15.2] Body of `POST /api/knowledge/search`. */
export const knowledgeSearchSchema = z.strictObject({
  query: z.string().min(1).max(8_000),
  category: z.string().optional(),
  collection: z.string().optional(),
  topK: z.int().min(1).max(50).default(5),
  method: z.enum(['keyword', 'semantic', 'hybrid']).default('hybrid'),
  minScore: z.number().min(0).max(1).optional(),
})
export type KnowledgeSearch = z.input<typeof knowledgeSearchSchema>
/** [S15.2] A document with its best passage. */
export const knowledgeResultSchema = openObject({
  document: documentEntrySchema,
  score: z.number(),
  confidence: z.enum(['high', 'medium', 'low']),
  /** How its best passage begins, on one line. */
  excerpt: z.string(),
  /** That passage, as a model would get it. */
  passage: z.string(),
})
export type KnowledgeResult = z.infer<typeof knowledgeResultSchema>

/** A collection of documents; with `agents` or `subjects`, only conversations of those find anything in it. */
export const knowledgeCollectionSchema = openObject({
  name: z.string(),
  agents: z.array(z.string()).nullable(),
  subjects: z.array(z.string()).nullable(),
  documentCount: z.int(),
})
export type KnowledgeCollection = z.infer<typeof knowledgeCollectionSchema>
const names = z.array(columnText.min(1).max(255)).max(200).nullable()
/** Body of `PUT /api/knowledge/collections/{name}`. */
export const collectionSchema = z.strictObject({ agents: names.default(null), subjects: names.default(null) })
export type CollectionLimits = z.input<typeof collectionSchema>
export const collectionNameSchema = collectionName

/** Answer of `GET /api/sessions/{id}/sources/{ref}`: the passage, with what stands around it in its document. */
export const sourcePassageSchema = openObject({
  ref: z.int(),
  document_id: z.string(),
  title: z.string().nullable(),
  category: z.string(),
  headings: z.array(z.string()),
  before: z.string(),
  passage: z.string(),
  after: z.string(),
})
export type SourcePassage = z.infer<typeof sourcePassageSchema>
