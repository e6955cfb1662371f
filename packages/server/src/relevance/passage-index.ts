import { hash } from 'node:crypto'
import type { Engine } from '../store/engine.ts'
import { type Work, runSql } from '../store/work.ts'
import type { Statistics } from './score.ts'
import { termsOf } from './terms.ts'

/**
 * Passages that can be found by what they are about. A **space** is what one search looks through: a collection of an
 * account's knowledge, a user's memories. A passage belongs to a `ref` of its space, and all of a ref's change together.
 *
 * The engines only answer which passages hold a term; how much that says is `score.ts`'s business, so that both databases
 * find the same. How many passages of a space hold a term is kept in `passage_terms`, under the empty term how many there are.
 */
export type NewPassage = {
  position: number
  /** What stands above it: a title, headings. Found like its text, and worth more. */
  head: string
  text: string
}

/** A ref of a space, and passages for it. */
export type OfRef = { space: string; ref: string; passages: readonly NewPassage[] }
export type Dropped = { space: string; ref: string; limit: number }

const FEW = 50

export type StoredPassage = NewPassage & { id: number; space: string; ref: string }

/** Adds passages to those that a ref has. A few dozen at a time: on SQLite everybody else waits meanwhile. */
export function* addPassages(engine: Engine, { space, ref, passages }: OfRef): Work<void> {
  const counts = new Map<string, number>([['', passages.length]])
  const termed = passages.map((passage) => ({ ...passage, terms: termsIn(passage) }))
  for (const { terms } of termed) for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  if (passages.length === 0) return
  yield* engine.kind === 'postgres' ? insertPostgres(space, ref, termed) : insertSqlite(space, ref, termed)
  yield* count(engine, space, counts)
}

/** Removes a ref's passages, at most so many; says how many it had. */
export function* dropPassages(engine: Engine, { space, ref, limit }: Dropped): Work<number> {
  const gone = yield* runSql<StoredPassage>(
    `DELETE FROM passages WHERE id IN (SELECT id FROM passages WHERE space = ? AND ref = ? ORDER BY position LIMIT ?)
      RETURNING id, position, head, text`,
    [space, ref, limit],
  )
  if (gone.length === 0) return 0
  const counts = new Map<string, number>([['', -gone.length]])
  for (const passage of gone) for (const term of termsIn(passage)) counts.set(term, (counts.get(term) ?? 0) - 1)
  const ids = JSON.stringify(gone.map(({ id }) => id))
  yield* runSql(`DELETE FROM passage_vectors WHERE passage_id IN (${numbersIn(engine)})`, [ids])
  if (engine.kind === 'sqlite') yield* runSql(`DELETE FROM passage_index WHERE rowid IN (${numbersIn(engine)})`, [ids])
  yield* count(engine, space, counts)
  const terms = JSON.stringify([...counts.keys()])
  yield* runSql(`DELETE FROM passage_terms WHERE space = ? AND passages <= 0 AND term IN (${textsIn(engine)})`, [
    space,
    terms,
  ])
  return gone.length
}

/** A ref with few passages gets new ones in place of those it has. */
export function* replacePassages(engine: Engine, of: OfRef): Work<void> {
  yield* dropPassages(engine, { ...of, limit: FEW })
  yield* addPassages(engine, of)
}

/** How many passages the spaces have together, and how many of them hold each of the terms. */
export function* statistics(engine: Engine, spaces: readonly string[], terms: readonly string[]): Work<Statistics> {
  const list = textsIn(engine)
  const rows = yield* runSql<{ term: string; n: number }>(
    `SELECT term, CAST(sum(passages) AS INTEGER) AS n FROM passage_terms WHERE space IN (${list}) AND term IN (${list}) GROUP BY term`,
    [JSON.stringify(spaces), JSON.stringify(['', ...terms])],
  )
  const withTerm = new Map(rows.map(({ term, n }) => [term, n]))
  return { passages: withTerm.get('') ?? 0, withTerm }
}

/** Ids of the passages that hold a term, for each of the terms. */
export function* holders(engine: Engine, spaces: readonly string[], terms: readonly string[]): Work<number[][]> {
  if (terms.length === 0 || spaces.length === 0) return terms.map(() => [])
  // A row for each term, and not one for each of thousands of ids.
  const one =
    engine.kind === 'sqlite'
      ? 'SELECT ? AS place, json_group_array(rowid) AS ids FROM passage_index WHERE passage_index MATCH ?'
      : `SELECT CAST(? AS INTEGER) AS place, concat('[', string_agg(CAST(id AS text), ','), ']') AS ids FROM passages
          WHERE terms @@ CAST(? AS tsquery)`
  const labels = spaces.map(labelOf)
  const or = engine.kind === 'sqlite' ? ' OR ' : ' | '
  const match = (term: string) => labels.map((label) => label + tokenOf(term)).join(or)
  const rows = yield* runSql<{ place: number; ids: string }>(
    terms.map(() => one).join(' UNION ALL '),
    terms.flatMap((term, place) => [place, match(term)]),
  )
  const found: number[][] = terms.map(() => [])
  for (const { place, ids } of rows) found[place] = JSON.parse(ids) as number[]
  return found
}

/** Of the passages named, those that there are. */
export function* loadPassages(engine: Engine, ids: readonly number[]): Work<StoredPassage[]> {
  return yield* runSql<StoredPassage>(
    `SELECT id, space, ref, position, head, text FROM passages WHERE id IN (${numbersIn(engine)})`,
    [JSON.stringify(ids)],
  )
}

type Termed = NewPassage & { terms: ReadonlySet<string> }

function termsIn({ head, text }: Pick<NewPassage, 'head' | 'text'>): Set<string> {
  return new Set([...termsOf(head), ...termsOf(text)])
}

function* insertSqlite(space: string, ref: string, passages: readonly Termed[]): Work<void> {
  for (const { position, head, text, terms } of passages) {
    const [row] = yield* runSql<{ id: number }>(
      'INSERT INTO passages (space, ref, position, head, text) VALUES (?, ?, ?, ?, ?) RETURNING id',
      [space, ref, position, head, text],
    )
    yield* runSql('INSERT INTO passage_index (rowid, terms) VALUES (?, ?)', [row!.id, tokens(space, terms).join(' ')])
  }
}

function* insertPostgres(space: string, ref: string, passages: readonly Termed[]): Work<void> {
  const rows = passages.map(({ position, head, text, terms }) => ({
    ...{ position, head, text },
    terms: tokens(space, terms),
  }))
  yield* runSql(
    `INSERT INTO passages (space, ref, position, head, text, terms)
      SELECT ?, ?, r.position, r.head, r.text, array_to_tsvector(ARRAY(SELECT json_array_elements_text(r.terms)))
      FROM json_to_recordset(?::json) AS r(position bigint, head text, text text, terms json)`,
    [space, ref, JSON.stringify(rows)],
  )
}

/** In the order of the terms, so that two who count at once wait for each other and never in a circle. */
function* count(engine: Engine, space: string, counts: ReadonlyMap<string, number>): Work<void> {
  const rows = [...counts].filter(([, n]) => n !== 0).sort(([a], [b]) => (a < b ? -1 : 1))
  const given =
    engine.kind === 'sqlite'
      ? `SELECT ?, value ->> 'term', value ->> 'n' FROM json_each(?) WHERE true`
      : 'SELECT ?, r.term, r.n FROM json_to_recordset(?::json) AS r(term text, n bigint) ORDER BY r.term COLLATE "C"'
  yield* runSql(
    `INSERT INTO passage_terms (space, term, passages) ${given}
      ON CONFLICT (space, term) DO UPDATE SET passages = passage_terms.passages + excluded.passages`,
    [space, JSON.stringify(rows.map(([term, n]) => ({ term, n })))],
  )
}

/** Each in its space: whoever looks for one reads what the space has, however much there is in others. */
function tokens(space: string, terms: Iterable<string>): string[] {
  const label = labelOf(space)
  return [...terms].map((term) => label + tokenOf(term))
}

/** A term as both engines take it, whatever they think of its letters: a word of plain letters and digits. */
function tokenOf(term: string): string {
  return /^[a-z0-9]+$/.test(term) ? `w${term}` : `u${Buffer.from(term).toString('hex')}`
}

/** SQL for the texts, or the numbers, of a JSON array. */
function textsIn({ kind }: Engine): string {
  return kind === 'sqlite' ? 'SELECT value FROM json_each(?)' : 'SELECT json_array_elements_text(?::json)'
}

export function numbersIn({ kind }: Engine): string {
  return kind === 'sqlite'
    ? 'SELECT value FROM json_each(?)'
    : 'SELECT v::bigint FROM json_array_elements_text(?::json) AS v'
}

/** A space in the tokens of the index. Two may share one: what is found is looked at again. */
function labelOf(space: string): string {
  return `s${hash('sha256', space, 'hex').slice(0, 12)}`
}
