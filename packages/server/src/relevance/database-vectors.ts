import type { Engine } from '../store/engine.ts'
import { runSql } from '../store/work.ts'

/**
 * PostgreSQL compares vectors itself where it has the extension `vector`: a table beside `passage_vectors` then holds a copy of
 * each as the extension's own type. It is a copy and no more: whoever has no such table, or not all of it yet, compares what
 * `passage_vectors` has, and finds the same. So it belongs to no migration: the extension may come later, or go.
 */

/** Vectors that are copied at once. */
const FEW = 64
/** Made by the first who may; a refusal is no error. Whoever uses `passage_vectors` meanwhile waits two seconds at most. */
const MAKE_TABLE = `DO $$ BEGIN
  IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector') THEN
    SET LOCAL lock_timeout = '2s';
    CREATE EXTENSION IF NOT EXISTS vector;
    CREATE TABLE IF NOT EXISTS passage_embeddings (
      passage_id bigint PRIMARY KEY REFERENCES passage_vectors ON DELETE CASCADE, model text NOT NULL);
    -- Of its own, because it alone goes with the extension when that is dropped. Read from its row, it takes a third of the time.
    ALTER TABLE passage_embeddings
      ADD COLUMN IF NOT EXISTS embedding vector, ALTER COLUMN embedding SET STORAGE main;
  END IF;
EXCEPTION WHEN OTHERS THEN NULL;
END $$`

export type Compared = { spaces: readonly string[]; model: string; query: Uint8Array; limit?: number | undefined }

/** Makes the table where the extension is there, or can be had; whether there is one. Whatever the reason why not, all goes on. */
export async function offerCopies(engine: Engine): Promise<boolean> {
  if (engine.kind !== 'postgres') return false
  if (!(await hasCopies(engine))) await engine.write(() => runSql(MAKE_TABLE, [])).catch(() => undefined)
  return hasCopies(engine)
}

async function hasCopies(engine: Engine): Promise<boolean> {
  const columns = await engine.select(
    `SELECT 1 FROM pg_attribute
      WHERE attrelid = to_regclass('passage_embeddings') AND attname = 'embedding' AND NOT attisdropped`,
    [],
  )
  return columns.length > 0
}

/** A vector and its copy, if there is one; a copy for another model is none. */
const WITH_COPY =
  'passage_vectors v LEFT JOIN passage_embeddings e ON e.passage_id = v.passage_id AND e.model = v.model'

/** Copies some vectors of passages after this one. The last one; `undefined`: there was none to copy. */
export async function copyVectors(engine: Engine, model: string, after: number): Promise<number | undefined> {
  const rows = await engine.select<{ passage_id: number; vector: Uint8Array }>(
    `SELECT v.passage_id, v.vector FROM ${WITH_COPY}
      WHERE v.model = ? AND v.passage_id > ? AND e.embedding IS NULL ORDER BY v.passage_id LIMIT ?`,
    [model, after, FEW],
  )
  if (rows.length === 0) return undefined
  const given = rows.map(() => '(?::bigint, ?::vector)').join(', ')
  await engine.write(() =>
    runSql(
      `INSERT INTO passage_embeddings (passage_id, model, embedding)
        SELECT v.passage_id, v.model, given.embedding FROM (VALUES ${given}) AS given (passage_id, embedding)
        JOIN passage_vectors v ON v.passage_id = given.passage_id AND v.model = ? FOR KEY SHARE OF v
        ON CONFLICT (passage_id) DO UPDATE SET model = excluded.model, embedding = excluded.embedding`,
      [...rows.flatMap(({ passage_id, vector }) => [passage_id, asSent(vector)]), model],
    ),
  )
  return rows.at(-1)!.passage_id
}

/**
 * How near passages are to a vector, the nearest first, to some six digits: the database adds up in 32 bits. `undefined`: it
 * cannot say, for one of them has no copy yet.
 */
export async function nearestInDatabase(engine: Engine, compared: Compared): Promise<Map<number, number> | undefined> {
  const { spaces, model, query, limit = null } = compared
  if (engine.kind !== 'postgres' || !(await hasCopies(engine))) return undefined
  const rows = await engine.select<{ passage_id: number; nearness: number | null }>(
    `SELECT v.passage_id, CASE WHEN e.embedding IS NULL THEN NULL WHEN octet_length(v.vector) <> ? THEN 0
        ELSE greatest(0, least(1, -(e.embedding <#> ?::vector))) END AS nearness
      FROM ${WITH_COPY} WHERE v.space IN (SELECT json_array_elements_text(?::json)) AND v.model = ?
      ORDER BY nearness DESC NULLS FIRST, v.passage_id LIMIT ?`,
    [query.length, asSent(query), JSON.stringify(spaces), model, limit],
  )
  if (rows[0]?.nearness === null) return undefined
  return new Map(rows.map(({ passage_id, nearness }) => [passage_id, nearness!]))
}

/** As the extension reads it: how many numbers, two bytes of nothing, and each number with its highest byte first. */
function asSent(vector: Uint8Array): Buffer {
  const sent = Buffer.alloc(4 + vector.length)
  sent.writeInt16BE(vector.length / 4, 0)
  sent.set(vector, 4)
  sent.subarray(4).swap32()
  return sent
}
