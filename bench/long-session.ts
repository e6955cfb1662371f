/**
 * What does a long session cost? Opening its last page, and a run in it, with 100 turns and with 10 000, compacted as they
 * are after a year of talking; on SQLite, in the same run. Run: node bench/long-session.ts [--rounds 40]
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { start } from '@parley/server'
import { DatabaseSync } from 'node:sqlite'

const ROUNDS = Number(option('--rounds') ?? 40)
const SIZES = [100, 10_000]
const WORDS = 'word '.repeat(60)
/** As many turns as lie between two compactions. */
const KEPT = 60

const dataDir = await mkdtemp(join(tmpdir(), 'parley-long-'))
const options = {
  dataDir,
  port: 0,
  ownerKey: 'sk-bench-0123456789012345678901234567',
  suggestions: false,
  logLevel: 'silent' as const,
}
const headers = { authorization: `Bearer ${options.ownerKey}`, 'content-type': 'application/json' }
try {
  const ids = await makeSessions()
  fill(ids)
  await using server = closing(await start(options))
  const rows = SIZES.map((turns, at) => ({ turns, id: ids[at]!, open: [] as number[], run: [] as number[] }))
  // Taking turns: whatever else the machine does meets both.
  for (let round = 0; round < ROUNDS; round++)
    for (const row of rows) {
      row.open.push(await timed(() => ask(server.url, `/api/sessions/${row.id}/messages?limit=50`)))
      row.run.push(await timed(() => ask(server.url, `/api/sessions/${row.id}/chat`, { message: 'hello' })))
    }
  console.log('\n| turns | open ms (p50) | run ms (p50) |\n| --- | --- | --- |')
  for (const { turns, open, run } of rows)
    console.log(`| ${turns} | ${median(open).toFixed(1)} | ${median(run).toFixed(1)} |`)
  const [short, long] = rows
  console.log(
    `\nratio: open ${(median(long!.open) / median(short!.open)).toFixed(2)}, run ${(median(long!.run) / median(short!.run)).toFixed(2)}`,
  )
} finally {
  await rm(dataDir, { recursive: true, force: true })
}

/** Sessions, made by a server that is gone again. */
async function makeSessions(): Promise<string[]> {
  await using server = closing(await start(options))
  const ids: string[] = []
  for (const _ of SIZES) ids.push(((await ask(server.url, '/api/sessions', {})) as { session_id: string }).session_id)
  return ids
}

function closing<T extends { close: () => Promise<void> }>(server: T): T & AsyncDisposable {
  return Object.assign(server, { [Symbol.asyncDispose]: server.close })
}

function fill(ids: readonly string[]): void {
  const database = new DatabaseSync(join(dataDir, 'parley.sqlite'))
  const insert = database.prepare(
    "INSERT INTO turns (session_id, sequence, turn_id, loop_id, status, projection) VALUES (?, ?, ?, 'root', 'completed', ?)",
  )
  database.exec('BEGIN')
  for (const [at, turns] of SIZES.entries()) {
    const first_kept = turns - KEPT
    for (let sequence = 0; sequence < turns; sequence++)
      insert.run(ids[at]!, sequence, `turn_${at}_${sequence}`, JSON.stringify(turnAt(sequence, { turns, first_kept })))
    database
      .prepare(
        "INSERT INTO compactions (session_id, loop_id, turn_id, sequence, first_kept) VALUES (?, 'root', ?, ?, ?)",
      )
      .run(ids[at]!, `turn_${at}_${turns - 1}`, turns - 1, first_kept)
  }
  database.exec('COMMIT')
  database.close()
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
