/**
 * How long does it take to find what is nearest to a message among everything that has a vector (1 536 numbers each), and from
 * how many on does it show? A user has at most 1 000 memories; documents may have more passages. PostgreSQL is asked twice: the
 * one from npm, which has no vectors of its own, and PGlite, which has (and is WebAssembly, in one thread).
 *
 *   npx node --conditions=parley-source bench/memory-vectors.ts [--postgres]
 */
import { startPgvector } from '@parley/testkit'
import { copyVectors, offerCopies } from '../packages/server/src/relevance/database-vectors.ts'
import { nearnessIn } from '../packages/server/src/relevance/vectors.ts'
import type { Engine } from '../packages/server/src/store/engine.ts'
import { openPostgres } from '../packages/server/src/store/postgres/engine.ts'
import { runSql } from '../packages/server/src/store/work.ts'
import { openPostgresDatabase, openSqliteDatabase } from './journal/databases.ts'

const DIMENSIONS = 1_536
const SIZES = [1_000, 5_000, 20_000, 100_000]
const ROUNDS = 5
const NEAREST = 60
/** Vectors that differ. */
const SOME = 500

const opens = process.argv.includes('--postgres')
  ? [openSqliteDatabase, openPostgresDatabase, openPgvectorDatabase]
  : [openSqliteDatabase]
console.log(`${DIMENSIONS} numbers a vector, the ${NEAREST} nearest, median of ${ROUNDS}`)
console.log('| database | vectors | ms | processor ms |\n| --- | --- | --- | --- |')
for (const open of opens) await measure(await open())

async function measure(opened: { name: string; engine: Engine } & AsyncDisposable): Promise<void> {
  await using database = opened
  const { engine, name } = database
  const isCopied = await offerCopies(engine)
  await addSome(engine)
  if (isCopied) await copyAll(engine)
  for (const [place, size] of SIZES.entries()) {
    const space = `memory:bench-${size}`
    for (let n = 0; n < size; n += SOME) await addAgain(engine, { space, by: place * 1_000_000 + n + SOME, isCopied })
    const times: number[] = []
    const before = process.threadCpuUsage()
    for (let round = 0; round < ROUNDS; round++) {
      const startedAt = performance.now()
      await nearnessIn(engine, { spaces: [space], model: 'bench', query: vectorOf(round), limit: NEAREST })
      times.push(performance.now() - startedAt)
    }
    const { user, system } = process.threadCpuUsage(before)
    times.sort((a, b) => a - b)
    const cells = [name, size, times[(ROUNDS - 1) / 2]!.toFixed(1), ((user + system) / 1_000 / ROUNDS).toFixed(1)]
    console.log(`| ${cells.join(' | ')} |`)
  }
}

async function openPgvectorDatabase() {
  const server = await startPgvector({ flags: [] })
  const engine = await openPostgres({ url: server.url, leaseMs: 120_000 })
  return {
    name: 'postgres, pgvector',
    engine,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

function addSome(engine: Engine): Promise<void> {
  return engine.write(function* () {
    for (let n = 1; n <= SOME; n++)
      yield* runSql('INSERT INTO passage_vectors (passage_id, space, model, vector) VALUES (?, ?, ?, ?)', [
        ...[n, 'some', 'bench', new Uint8Array(vectorOf(n).buffer)],
      ])
  })
}

/** The same vectors under other numbers: a database does that far quicker than it takes new ones. */
function addAgain(engine: Engine, { space, by, isCopied }: { space: string; by: number; isCopied: boolean }) {
  return engine.write(function* () {
    yield* runSql(
      `INSERT INTO passage_vectors (passage_id, space, model, vector)
        SELECT passage_id + ?, ?, model, vector FROM passage_vectors WHERE passage_id <= ?`,
      [by, space, SOME],
    )
    if (isCopied)
      yield* runSql(
        `INSERT INTO passage_embeddings (passage_id, model, embedding)
          SELECT passage_id + ?, model, embedding FROM passage_embeddings WHERE passage_id <= ?`,
        [by, SOME],
      )
  })
}

async function copyAll(engine: Engine): Promise<void> {
  for (let last: number | undefined = 0; last !== undefined;) last = await copyVectors(engine, 'bench', last)
}

function vectorOf(seed: number): Float32Array {
  return Float32Array.from({ length: DIMENSIONS }, (_, at) => Math.sin(seed * 31 + at) / Math.sqrt(DIMENSIONS / 2))
}
