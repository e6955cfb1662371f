/**
 * Do questions find the passages they are about, and what does it cost as documents grow in number?
 * Run: node bench/knowledge.ts [--set development|held-out] [--postgres] [--documents 10000] [--json file]
 * `--documents N` also puts in up to so many made-up documents, and asks about them.
 */
import { writeFile } from 'node:fs/promises'
import { type Database, openPostgresDatabase, openSqliteDatabase } from './journal/databases.ts'
import { evaluate, type Quality, type SetName } from './knowledge/evaluate.ts'
import { type Growth, measureGrowth, measureLongDocument } from './knowledge/growth.ts'

const set = (option('--set') ?? 'development') as SetName
const documents = Number(option('--documents') ?? 0)
const quality: (Quality & { database: string })[] = []
const growth: Growth[] = []
const long: { database: string; step: number; seconds: number }[] = []

for (const open of process.argv.includes('--postgres')
  ? [openSqliteDatabase, openPostgresDatabase]
  : [openSqliteDatabase]) {
  if (documents === 0) await measureQuality(await open())
  else await measureCost(await open())
}

print('| database | kind | language | questions | recall@1 | recall@5 | MRR | retrieved |', quality, (row) => [
  ...[row.database, row.kind, row.language, String(row.questions)],
  ...[row.recall1, row.recall5, row.mrr, row.retrieved].map((value) => value?.toFixed(2) ?? ''),
])
print(
  '| database | documents | imported/s | query p50 ms | p95 ms | p99 ms | processor ms | plain LIKE p50 ms | found first | MB |',
  growth,
  (row) => [
    ...[
      row.database,
      String(row.documents),
      row.importedPerSecond.toFixed(0),
      row.p50.toFixed(1),
      row.p95.toFixed(1),
      row.p99.toFixed(1),
      row.cpu.toFixed(1),
    ],
    ...[row.plainP50.toFixed(1), row.foundFirst.toFixed(2), row.megabytes.toFixed(0)],
  ],
)
print('| database | a document of 1 MB, in and out: s | longest step, processor ms |', long, (row) => [
  ...[row.database, row.seconds.toFixed(1), row.step.toFixed(0)],
])
const file = option('--json')
if (file) await writeFile(file, JSON.stringify({ quality, growth, long }, null, 2))

async function measureQuality(opened: Database): Promise<void> {
  await using database = opened
  const { engine, name } = database
  quality.push(...(await evaluate(engine, set)).map((row) => ({ database: name, ...row })))
}

async function measureCost(opened: Database): Promise<void> {
  await using database = opened
  for await (const row of measureGrowth(database, documents)) growth.push(row)
  long.push({ database: database.name, ...(await measureLongDocument(database)) })
}

function option(name: string): string | undefined {
  const at = process.argv.indexOf(name)
  return at < 0 ? undefined : process.argv[at + 1]
}

function print<R>(header: string, rows: R[], cells: (row: R) => string[]): void {
  if (rows.length === 0) return
  console.log(`\n${header}\n|${header.slice(1).replaceAll(/[^|]+/g, ' --- ')}`)
  for (const row of rows) console.log(`| ${cells(row).join(' | ')} |`)
}
