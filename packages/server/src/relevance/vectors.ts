import type { Engine } from '../store/engine.ts'
import { runSql, type Work } from '../store/work.ts'
import { type Embedder, nearness, TEXTS_AT_ONCE } from './embedder.ts'

/** Vectors that are read at once; between two pages others have their turn. */
const PAGE = 1_000
const EMBED_MS = 60_000

/** How near each passage of the spaces is to a vector: all of them are looked at, page by page. */
export async function nearnessIn(
  engine: Engine,
  { spaces, model, query }: { spaces: readonly string[]; model: string; query: Float32Array },
): Promise<Map<number, number>> {
  const near = new Map<number, number>()
  for (const space of spaces)
    for (let after = 0; ;) {
      const rows = await engine.select<{ passage_id: number; vector: Uint8Array }>(
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
