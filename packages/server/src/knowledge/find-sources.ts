import type { Source } from '@parley/protocol'
import type { Embedder } from '../relevance/embedder.ts'
import { findPassages, type FoundPassage, MIN_SCORE } from '../relevance/find-passages.ts'
import type { Engine } from '../store/engine.ts'
import { readStoredList } from '../store/stored-json.ts'
import type { Work } from '../store/work.ts'
import { type DocumentRow, documentsOf } from './document-rows.ts'

/** Where is looked, and with what, if anything, for the meaning of a question. */
export type Finder = { engine: Engine; embedder?: Embedder | undefined }

export type Wanted = {
  spaces: readonly string[]
  query: string
  documents: number
  passagesEach: number
  category?: string | undefined
  minScore?: number | undefined
  method?: 'keyword' | 'semantic' | 'hybrid' | undefined
}

/** A passage with the document that it is from. */
export type Found = FoundPassage & { document: DocumentRow; headings: string[] }

/** A search looks at this many passages for each that it wants: several may be of one document. */
const SPARE = 6

/** The best passages, of so many documents at most, and so many of each. */
export async function findSources({ engine, embedder }: Finder, wanted: Wanted): Promise<Found[]> {
  const { spaces, query, documents, passagesEach, category, method, minScore = MIN_SCORE } = wanted
  let known = new Map<string, DocumentRow>()
  const search = {
    ...{ spaces, query, minScore, method },
    limit: documents * passagesEach * SPARE,
    only: function* (refs: readonly string[]): Work<ReadonlySet<string>> {
      known = yield* documentsOf(refs, category)
      return new Set(known.keys())
    },
  }
  const found = await findPassages(engine, search, embedder)
  const chosen = new Map<string, Found[]>()
  for (const passage of found) {
    const document = known.get(passage.ref)!
    const have = chosen.get(document.id) ?? []
    if (have.length === passagesEach || (have.length === 0 && chosen.size === documents)) continue
    chosen.set(document.id, [...have, { ...passage, document, headings: headingsOf(passage) }])
  }
  // [S15.3] Ties by the newer document.
  return [...chosen.values()]
    .flat()
    .sort((a, b) => b.score - a.score || (a.document.updated_at < b.document.updated_at ? 1 : -1))
}

/** Above a passage stand its document's title and category, then the headings; one that is the title again says nothing. */
export function headingsOf({ head }: { head: string }): string[] {
  const [title, _category, ...headings] = (readStoredList(head) ?? []).filter((each) => typeof each === 'string')
  return headings[0] === title ? headings.slice(1) : headings
}

/** [S15.2] */
export function confidenceOf(score: number): Source['confidence'] {
  if (score >= 0.7) return 'high'
  return score >= 0.4 ? 'medium' : 'low'
}
