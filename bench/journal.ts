/**
 * What do appends cost, and how soon do readers have them? Against plain inserts into the same databases, in the same
 * run. Run: node bench/journal.ts [--json file] [--only sqlite|postgres] [--latency off]
 */
import { writeFile } from 'node:fs/promises'
import { type Database, openPostgresDatabase, openSqliteDatabase } from './journal/databases.ts'
import { type Latency, measureLatency } from './journal/latency.ts'
import { measureThroughput, type Throughput } from './journal/throughput.ts'

const SESSIONS = [100, 300, 500]

const throughput: Throughput[] = []
const latency: Latency[] = []
for (const [name, open] of [
  ['sqlite', openSqliteDatabase],
  ['postgres', openPostgresDatabase],
] as const) {
  if (option('--only') && option('--only') !== name) continue
  await using database = await open()
  throughput.push(...(await measureThroughput(database)))
  if (option('--latency') !== 'off') await measureLatencies(database)
}

print('| database | what | events/s | CPU µs/event | of raw |', throughput, (row) => [
  row.database,
  row.what,
  whole(row.eventsPerSecond),
  row.cpuMicroseconds.toFixed(1),
  `${(100 * row.ofRaw).toFixed(0)} %`,
])
print('| database | reader | sessions × 25/s | events/s | p50 ms | p99 ms | max ms | CPU % |', latency, (row) => [
  row.database,
  row.reader,
  String(row.sessions),
  whole(row.perSecond),
  row.p50.toFixed(1),
  row.p99.toFixed(1),
  row.max.toFixed(0),
  whole(row.cpuPercent),
])
const file = option('--json')
if (file) await writeFile(file, JSON.stringify({ throughput, latency }, null, 2))

async function measureLatencies(database: Database): Promise<void> {
  for (const count of SESSIONS)
    latency.push(await measureLatency(database, { name: 'same instance', engine: database.engine }, count))
  const other = await database.openOther()
  if (!other) return
  await using engine = other
  for (const count of SESSIONS) latency.push(await measureLatency(database, { name: 'other instance', engine }, count))
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

function whole(value: number): string {
  return Math.round(value).toLocaleString('en').replaceAll(',', ' ')
}
