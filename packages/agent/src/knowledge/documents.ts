import type { KnowledgeDocument, KnowledgeResult } from '@parley/protocol/rest'

export type DocumentInput = {
  /** 100 characters at most. */
  category: string
  /** 500 at most. */
  title?: string | undefined
  /** A megabyte at most; Markdown headings tell what a passage is about. */
  content: string
  metadata?: Record<string, unknown> | undefined
}

export type Document = {
  id: string
  category: string
  title?: string
  content: string
  metadata: Record<string, unknown>
  createdAt: string
  updatedAt: string
}

export type SearchOptions = {
  category?: string | undefined
  /** Documents, 1 to 50. Default 5. */
  topK?: number | undefined
  method?: 'keyword' | 'semantic' | 'hybrid' | undefined
  /** 0 to 1. Default 0.3. */
  minScore?: number | undefined
}

/** A document, and which of its passages was found. */
export type SearchResult = {
  document: Document
  /** 0 to 1. */
  score: number
  confidence: KnowledgeResult['confidence']
  excerpt: string
}

export function toDocument(stored: KnowledgeDocument): Document {
  const { id, category, title, content, metadata, createdAt, updatedAt } = stored
  return { id, category, ...(title !== null && { title }), content, metadata, createdAt, updatedAt }
}
