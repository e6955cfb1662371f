import type { Source } from '@parley/protocol'
import type { SourcePassage } from '@parley/protocol/rest'
import { runSql, type Work } from '../store/work.ts'
import { confidenceOf, type Found, headingsOf } from './find-sources.ts'

/** A passage that a session's model gets, under the number that answers name it with. */
export type NumberedSource = Source & { passage: number; text: string }

const EXCERPT = 240
/** What is shown of a document around a passage, on each side. */
const AROUND = 4_000

/** Gives passages their numbers in a session; one that it has had before keeps its own. The gate is held. */
export function* numberSources(session_id: string, found: readonly Found[]): Work<NumberedSource[]> {
  const known = yield* runSql<{ ref: number; passage_id: number }>(
    'SELECT ref, passage_id FROM knowledge_sources WHERE session_id = ?',
    [session_id],
  )
  const numbers = new Map(known.map(({ ref, passage_id }) => [passage_id, ref]))
  let last = Math.max(0, ...numbers.values())
  const numbered: NumberedSource[] = []
  for (const passage of found) {
    const ref = numbers.get(passage.id) ?? ++last
    if (!numbers.has(passage.id))
      yield* runSql('INSERT INTO knowledge_sources (session_id, ref, passage_id, document_id) VALUES (?, ?, ?, ?)', [
        ...[session_id, ref, passage.id, passage.document.id],
      ])
    numbered.push(toSource(passage, ref))
  }
  return numbered
}

function toSource({ id, document, headings, text, score }: Found, ref: number): NumberedSource {
  return {
    ...{ ref, document_id: document.id, title: document.title, category: document.category, headings },
    excerpt: excerptOf(text),
    score: Math.round(score * 1_000) / 1_000,
    confidence: confidenceOf(score),
    ...{ passage: id, text },
  }
}

export function excerptOf(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= EXCERPT ? line : `${line.slice(0, EXCERPT).toWellFormed()}…`
}

/** As clients see it: without the text, which may be long, and our number for it. */
export function shownSource({ passage: _passage, text: _text, ...source }: NumberedSource): Source {
  return source
}

/** A session's source in its document; `undefined` when the document is gone, or says something else now. */
export function* readSource(session_id: string, ref: number): Work<SourcePassage | undefined> {
  const [row] = yield* runSql<{ document_id: string; title: string | null; category: string; content: string } & Place>(
    `SELECT s.document_id, d.title, d.category, d.content, p.text, p.head,
        (SELECT CAST(count(*) AS INTEGER) FROM passages e WHERE e.space = p.space AND e.ref = p.ref AND e.position < p.position
          AND e.text = p.text) AS earlier FROM knowledge_sources s
      JOIN passages p ON p.id = s.passage_id JOIN knowledge_documents d ON d.ref = p.ref
      WHERE s.session_id = ? AND s.ref = ?`,
    [session_id, ref],
  )
  if (!row) return undefined
  const { document_id, title, category, content, text, head } = row
  const headings = headingsOf({ head })
  let start = content.indexOf(text)
  // The same words may be passages of several places.
  for (let earlier = row.earlier; earlier > 0 && start >= 0; earlier--) start = content.indexOf(text, start + 1)
  const end = start < 0 ? content.length : start + text.length
  return {
    ...{ ref, document_id, title, category, headings },
    before: start < 0 ? '' : content.slice(Math.max(0, start - AROUND), start).toWellFormed(),
    passage: text,
    after: content.slice(end, end + AROUND).toWellFormed(),
  }
}

type Place = { text: string; head: string; earlier: number }
