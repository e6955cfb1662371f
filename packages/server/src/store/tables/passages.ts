import type { Generated } from 'kysely'

/** A piece of a text that can be found by what it is about. On PostgreSQL its terms are a column of it. */
export type PassagesTable = {
  id: Generated<number>
  /** What one search looks through. */
  space: string
  /** What it belongs to there; all of a ref's passages change together. */
  ref: string
  position: number
  head: string
  text: string
}

/** How many passages of a space hold a term; under the empty one, how many there are. */
export type PassageTermsTable = { space: string; term: string; passages: number }

/** What a model of embeddings makes of a passage: 32-bit floats, of length 1. */
export type PassageVectorsTable = { passage_id: number; space: string; model: string; vector: Uint8Array }
