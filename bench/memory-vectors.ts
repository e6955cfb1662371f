/**
 * How long does it take to compare a message with every memory that has a vector (1 536 numbers each), and from how many on
 * does it show? A user has at most 1 000 memories; documents may have more passages.
 *
 *   npx node bench/memory-vectors.ts [--postgres]
 */
import { nearnessIn } from '../packages/server/src/relevance/vectors.ts'
import type { Engine } from '../packages/server/src/store/engine.ts'
import { runSql } from '../packages/server/src/store/work.ts'
import { type Database, openPostgresDatabase, openSqliteDatabase } from './journal/databases.ts'

const DIMENSIONS = 1_536
const SIZES = [100, 1_000, 5_000, 20_000]
const ROUNDS = 7

const opens = process.argv.includes('--postgres') ? [openSqliteDatabase, openPostgresDatabase] : [openSqliteDatabase]
console.log(`${DIMENSIONS} numbers a vector, median of ${ROUNDS}`)
console.log('| database | vectors | ms | processor ms |\n| --- | --- | --- | --- |')
for (const open of opens) await measure(await open())

async function measure(opened: Database): Promise<void> {
  await using database = opened
  const { engine, name } = database
  for (const [place, size] of SIZES.entries()) {
    const space = `memory:bench-${size}`
    await fill(engine, { space, size, from: place * 1_000_000 })
    const times: number[] = []
    const before = process.threadCpuUsage()
    for (let round = 0; round < ROUNDS; round++) {
      const startedAt = performance.now()
      await nearnessIn(engine, { spaces: [space], model: 'bench', query: vectorOf(round) })
      times.push(performance.now() - startedAt)
    }
    const { user, system } = process.threadCpuUsage(before)
    times.sort((a, b) => a - b)
    const cells = [name, size, times[(ROUNDS - 1) / 2]!.toFixed(1), ((user + system) / 1_000 / ROUNDS).toFixed(1)]
    console.log(`| ${cells.join(' | ')} |`)
  }
}

async function fill(engine: Engine, { space, size, from }: { space: string; size: number; from: number }) {
  for (let begun = 0; begun < size; begun += 500)
    await engine.write(function* () {
      for (let n = begun; n < Math.min(size, begun + 500); n++)
        yield* runSql(
          'INSERT INTO passage_vectors (passage_id, space, model, vector) VALUES (?, ?, ?, ?) ON CONFLICT (passage_id) DO NOTHING',
          [from + n + 1, space, 'bench', new Uint8Array(vectorOf(n).buffer)],
        )
    })
}

function vectorOf(seed: number): Float32Array {
  return Float32Array.from({ length: DIMENSIONS }, (_, at) => Math.sin(seed * 31 + at) / Math.sqrt(DIMENSIONS / 2))
}
