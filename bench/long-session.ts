/**
 * What does a long session cost? Opening its last page, and a run in it, with 100 turns and with 10 000, compacted as they
 * are after a year of talking; in the same run, on SQLite and with `--postgres` on PostgreSQL too.
 * Run: node bench/long-session.ts [--postgres] [--rounds 40]
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { start } from '@parley/server'
import { startFakeModel, startPostgres } from '@parley/testkit'
import { withDefaults } from '../packages/server/src/config/options.ts'
import { openStore } from '../packages/server/src/open-store.ts'
import { runSql } from '../packages/server/src/store/work.ts'

const ROUNDS = Number(option('--rounds') ?? 40)
const SIZES = [100, 10_000]
const WORDS = 'word '.repeat(60)
/** As many turns as lie between two compactions. */
const KEPT = 60
const OWNER_KEY = 'sk-bench-0123456789012345678901234567'
const headers = { authorization: `Bearer ${OWNER_KEY}`, 'content-type': 'application/json' }

// A provider that answers at once: the demo model takes its time, which would hide what is measured.
await using provider = await startFakeModel(() => ({ text: 'Hello.' }))

type Row = { database: string; turns: number; open: number[]; run: number[] }
const rows = await measure('sqlite', undefined)
if (process.argv.includes('--postgres')) {
  await using postgres = await startPostgres({ fsync: true })
  rows.push(...(await measure('postgres', postgres.url)))
}

console.log('\n| database | turns | open ms (p50) | run ms (p50) |\n| --- | --- | --- | --- |')
for (const { database, turns, open, run } of rows)
  console.log(`| ${database} | ${turns} | ${median(open).toFixed(1)} | ${median(run).toFixed(1)} |`)
for (const database of new Set(rows.map((row) => row.database))) {
  const [short, long] = rows.filter((row) => row.database === database)
  const ratio = (what: 'open' | 'run') => (median(long![what]) / median(short![what])).toFixed(2)
  console.log(`\n${database}, 10 000 to 100 turns: open ${ratio('open')}, run ${ratio('run')}`)
}
console.log(`\nload: ${loadavg()[0]!.toFixed(1)}`)

async function measure(database: string, databaseUrl: string | undefined): Promise<Row[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-long-'))
  const options = {
    ...{ dataDir, port: 0, ownerKey: OWNER_KEY, suggestions: false, logLevel: 'silent' as const },
    ...{ modelUrl: provider.url, model: 'fake-model' },
    ...(databaseUrl !== undefined && { databaseUrl }),
  }
  try {
    const ids = await makeSessions(options)
    await fill(ids, options)
    await using server = closing(await start(options))
    const sessions = SIZES.map(
      (turns, at) => ({ database, turns, id: ids[at]!, open: [], run: [] }) as Row & { id: string },
    )
    // Taking turns: whatever else the machine does meets both.
    for (let round = 0; round < ROUNDS; round++)
      for (const { id, open, run } of sessions) {
        open.push(await timed(() => ask(server.url, `/api/sessions/${id}/messages?limit=50`)))
        run.push(await timed(() => ask(server.url, `/api/sessions/${id}/chat`, { message: 'hello' })))
      }
    return sessions
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Sessions, made by a server that is gone again. */
async function makeSessions(options: Parameters<typeof start>[0]): Promise<string[]> {
  await using server = closing(await start(options))
  const ids: string[] = []
  for (const _ of SIZES) ids.push(((await ask(server.url, '/api/sessions', {})) as { session_id: string }).session_id)
  return ids
}

function closing<T extends { close: () => Promise<void> }>(server: T): T & AsyncDisposable {
  return Object.assign(server, { [Symbol.asyncDispose]: server.close })
}

async function fill(ids: readonly string[], options: Parameters<typeof withDefaults>[0]): Promise<void> {
  await using engine = await openStore(withDefaults(options))
  for (const [at, turns] of SIZES.entries())
    await engine.write(function* () {
      const first_kept = turns - KEPT
      for (let sequence = 0; sequence < turns; sequence++)
        yield* runSql(
          "INSERT INTO turns (session_id, sequence, turn_id, loop_id, status, projection) VALUES (?, ?, ?, 'root', 'completed', ?)",
          [ids[at]!, sequence, `turn_${at}_${sequence}`, JSON.stringify(turnAt(sequence, { turns, first_kept }))],
        )
      yield* runSql(
        "INSERT INTO compactions (session_id, loop_id, turn_id, sequence, first_kept) VALUES (?, 'root', ?, ?, ?)",
        [ids[at]!, `turn_${at}_${turns - 1}`, turns - 1, first_kept],
      )
    })
  // What a year of talking leaves time for; without it PostgreSQL takes a session of 10 000 turns for a small one.
  await engine.write(() => runSql('ANALYZE turns', []))
}

function turnAt(sequence: number, { turns, first_kept }: { turns: number; first_kept: number }): object {
  const isCompaction = sequence === turns - 1
  const names = { tool_call_id: null, tool_name: null, display_name: null }
  const text = { type: 'text', content: `${sequence} ${WORDS}`, ...names }
  return {
    ...{ id: `entry_${sequence}`, sequence, turn_id: `turn_${sequence}`, loop_id: 'root', status: 'completed' },
    ...{ kind: isCompaction ? 'compaction' : 'message', blocks: isCompaction ? [] : [text], tool_calls: [] },
    role: isCompaction ? 'system' : sequence % 2 ? 'assistant' : 'user',
    ...{ model: null, usage: null, duration_ms: 0, started_at: null, context_window: 0, memory_refs: null },
    ...{ parent_fork_tool_call_id: null, failure_reason: null, patch_sequence: 0, run_id: null },
    ...(isCompaction && { summary_full: WORDS, archived_range: { from: 0, to: first_kept - 1, kept: [] } }),
    ...(sequence < first_kept && { archived: true }),
  }
}

async function ask(url: string, path: string, body?: object): Promise<unknown> {
  const reply = await fetch(url + path, {
    headers,
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  const answer = await reply.json()
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${JSON.stringify(answer)}`)
  return answer
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!
}

function option(name: string): string | undefined {
  const at = process.argv.indexOf(name)
  return at < 0 ? undefined : process.argv[at + 1]
}
