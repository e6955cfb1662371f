/**
 * What does a call of an HTTP tool cost beside its request? Against a plain fetch of the same body to the same backend, in
 * turns, in the same run. Run: node bench/http-tools.ts
 */
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { clock } from '../packages/server/src/clock-and-ids.ts'
import { createEgress } from '../packages/server/src/egress/egress.ts'
import { withDefaults } from '../packages/server/src/tools/http/config.ts'
import { httpTool } from '../packages/server/src/tools/http/http-tool.ts'
import { OutstandingCalls } from '../packages/server/src/tools/http/outstanding-calls.ts'
import { runSql } from '../packages/server/src/store/work.ts'
import { type Database, openPostgresDatabase, openSqliteDatabase } from './journal/databases.ts'

const CALLS = 400
const WARM_UP = 50

const backend = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"result":{"order":7}}')
  })
}).listen(0, '127.0.0.1')
await once(backend, 'listening')
const url = `http://127.0.0.1:${(backend.address() as AddressInfo).port}/`

console.log('| database | what | p50 ms | p95 ms | added at p50 |\n| --- | --- | --- | --- | --- |')
for (const open of [openSqliteDatabase, openPostgresDatabase]) {
  await using database = await open()
  await measure(database)
}
backend.closeAllConnections()
backend.close()

async function measure({ name, engine, raw }: Database): Promise<void> {
  await using egress = createEgress()
  const calls = new OutstandingCalls({ engine, clock })
  const tool = httpTool(
    {
      ...withDefaults({
        name: 'order',
        description: 'Orders.',
        schema: { type: 'object', properties: { item: { type: 'string' } } },
        url,
      }),
      secret: 'a secret for this measurement',
      trust: 'configured',
    },
    {
      ...{ egress, clock, version: '0', calls },
      address: Promise.resolve('http://127.0.0.1'),
      onFailed: (_tool, reason) => console.error(reason),
      onIgnored: () => undefined,
    },
  )
  const session_id = `sess_bench_${name}`
  await engine.write(() =>
    runSql(`INSERT INTO gates (session_id, head, epoch, run_id, stop_requested) VALUES (?, 0, 0, 'run_1', 0)`, [
      session_id,
    ]),
  )
  const input = { item: 'tea' }
  const body = JSON.stringify({
    call_id: 'tc_1',
    session_id,
    subject: null,
    tool: 'order',
    arguments: input,
    attempt: 1,
  })
  const [plain, called, checked, written]: [number[], number[], number[], number[]] = [[], [], [], []]
  for (let n = -WARM_UP; n < CALLS; n++) {
    const one = await time(async () => {
      const reply = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      await reply.json()
    })
    const two = await time(() =>
      tool.run(input, {
        ...{ session_id, subject: null, tool_call_id: `tc_${n}`, attempt: 1, workspace: '', env: {} },
        signal: new AbortController().signal,
        notify: () => undefined,
      }),
    )
    await calls.closed()
    const three = await time(async () => tool.check(input))
    const four = await time(async () => raw(1, 'full'))
    if (n < 0) continue
    plain.push(one)
    called.push(two)
    checked.push(three)
    written.push(four)
  }
  print({ database: name, what: 'plain fetch', values: plain })
  const added = at(called, 0.5) - at(plain, 0.5)
  print({ database: name, what: 'the call: on record, signed, answered', values: called, added })
  print({ database: name, what: 'of that, one row in a commit of its own', values: written })
  const before = 'its arguments against their schema, before it'
  print({ database: name, what: before, values: checked, added: at(checked, 0.5) })
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}

function at(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * share)]!
}

type Row = { database: string; what: string; values: readonly number[]; added?: number }

function print({ database, what, values, added }: Row): void {
  const cells = [database, what, at(values, 0.5).toFixed(2), at(values, 0.95).toFixed(2), added?.toFixed(2) ?? '–']
  console.log(`| ${cells.join(' | ')} |`)
}
