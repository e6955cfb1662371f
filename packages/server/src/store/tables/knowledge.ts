/** Whose documents these are, and who may find anything in them: JSON arrays, `null` for everybody. */
export type KnowledgeCollectionsTable = {
  id: string
  account_id: string
  name: string
  agents: string | null
  subjects: string | null
  created_at: string
}

export type KnowledgeDocumentsTable = {
  id: string
  account_id: string
  collection_id: string
  category: string
  title: string | null
  /** JSON. */
  metadata: string
  /** Of an imported file: its path as the importer calls it, and the SHA-256 of its bytes. */
  source: string | null
  digest: string | null
  size: number
  passages: number
  /** Its version: the passages under it are the document's, those of other versions are nobody's. */
  ref: string
  content: string
  created_at: string
  updated_at: string
}

export type KnowledgeVersionsTable = { ref: string; space: string; document_id: string; at: number }

export type KnowledgeSourcesTable = { session_id: string; ref: number; passage_id: number; document_id: string }
