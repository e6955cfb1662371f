import type { Engine } from '../store/engine.ts'
import { runSql, type Work } from '../store/work.ts'
import { nearestInDatabase } from './database-vectors.ts'
import { type Embedder, nearness, TEXTS_AT_ONCE } from './embedder.ts'
import { numbersIn } from './passage-index.ts'

/** Vectors that are read at once; between two pages others have their turn. */
const PAGE = 1_000
const EMBED_MS = 60_000
/** The database's own numbers are good to six digits: whoever is among the nearest by better ones is at most so far behind. */
const SPARE = 10

/** What is looked for. */
export type Sought = { model: string; query: Float32Array }
export type SoughtIn = Sought & {
  spaces: readonly string[]
  /** The nearest are enough, so many at least; absent: all. */
  limit?: number
}

/** How near passages of the spaces are to a vector. Where the database compares none itself, all of them are looked at. */
export async function nearnessIn(engine: Engine, sought: SoughtIn): Promise<Map<number, number>> {
  const limit = sought.limit && sought.limit + SPARE
  const found = await nearestInDatabase(engine, { ...sought, query: bytesOf(sought.query), limit }).catch(
    () => undefined,
  )
  if (!found) return compareAll(engine, sought)
  return limit === undefined ? found : engine.read(() => nearnessOf(engine, [...found.keys()], sought))
}

/** How near these passages are to a vector, those that have one. */
export function* nearnessOf(
  engine: Engine,
  ids: readonly number[],
  { model, query }: Sought,
): Work<Map<number, number>> {
  const rows = yield* runSql<VectorRow>(
    `SELECT passage_id, vector FROM passage_vectors WHERE passage_id IN (${numbersIn(engine)}) AND model = ?`,
    [JSON.stringify(ids), model],
  )
  return new Map(rows.map(({ passage_id, vector }) => [passage_id, nearness(query, floatsIn(vector))]))
}

type VectorRow = { passage_id: number; vector: Uint8Array }

/** Page by page. */
async function compareAll(engine: Engine, { spaces, model, query }: SoughtIn): Promise<Map<number, number>> {
  const near = new Map<number, number>()
  for (const space of spaces)
    for (let after = 0; ;) {
      const rows = await engine.select<VectorRow>(
        'SELECT passage_id, vector FROM passage_vectors WHERE space = ? AND model = ? AND passage_id > ? ORDER BY passage_id LIMIT ?',
        [space, model, after, PAGE],
      )
      for (const { passage_id, vector } of rows) near.set(passage_id, nearness(query, floatsIn(vector)))
      if (rows.length < PAGE) break
      after = rows.at(-1)!.passage_id
      await new Promise<void>((resolve) => engine.timers.soon(resolve))
    }
  return near
}

/** Gives some passages after this one that have no vector of the model theirs. The last one; `undefined`: there was none. */
export async function fillVectors(
  engine: Engine,
  { model, embed }: Embedder,
  after: number,
): Promise<number | undefined> {
  const passages = await engine.select<{ id: number; space: string; head: string; text: string }>(
    `SELECT p.id, p.space, p.head, p.text FROM passages p
      WHERE p.id > ? AND NOT EXISTS (SELECT 1 FROM passage_vectors v WHERE v.passage_id = p.id AND v.model = ?)
      ORDER BY p.id LIMIT ?`,
    [after, model, TEXTS_AT_ONCE],
  )
  if (passages.length === 0) return undefined
  const vectors = await embed(
    passages.map(({ head, text }) => `${head}\n${text}`),
    AbortSignal.timeout(EMBED_MS),
  )
  await engine.write(function* (): Work<void> {
    for (const [place, { id, space }] of passages.entries())
      yield* runSql(
        `INSERT INTO passage_vectors (passage_id, space, model, vector)
          SELECT ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM passages WHERE id = ?)
          ON CONFLICT (passage_id) DO UPDATE SET model = excluded.model, vector = excluded.vector`,
        [id, space, model, bytesOf(vectors[place]!), id],
      )
  })
  return passages.at(-1)!.id
}

function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}

/** A row's bytes may begin anywhere: then they are copied. */
function floatsIn(bytes: Uint8Array): Float32Array {
  const { buffer, byteOffset } = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes)
  return new Float32Array(buffer, byteOffset, Math.floor(bytes.length / 4))
}
