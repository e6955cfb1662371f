/**
 * What does the journal cost? The same provider stream through three servers, side by side: Parley with its journal on
 * disk, plain Node that only pipes, and AI SDK's `streamText`. Run: node bench/relay.ts [--json file]
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startNode } from '@parley/testkit'
import type { Caller } from './relay/clients.ts'
import { aiSdk, cpuMs, parley, plain, quantile, rssMb, type Target } from './relay/targets.ts'

const WARM_UP = 30
const RUNS = 300
const MODELS = { fast: 'tokens=100,ms=0', first: 'tokens=5,ms=20', paced: 'tokens=250,ms=20' }

type Row = Record<string, number>

const rows: Record<string, Row> = {}
await using stub = startNode(join(import.meta.dirname, 'relay/stub.ts'))
const provider = `http://127.0.0.1:${(await stub.line(/listening (\d+)/))[1]}`
const models = Object.values(MODELS)
for (const start of [plain, aiSdk, (url: string) => parley(url, { models })]) {
  const target = await start(provider)
  await using _process = target.process
  rows[target.name] = await measure(target)
}
print()
const jsonAt = process.argv.indexOf('--json')
if (jsonAt > 0) await writeFile(process.argv[jsonAt + 1]!, JSON.stringify(rows, null, 2))

async function measure({ process: server, caller }: Target): Promise<Row> {
  const callers = await Promise.all(Array.from({ length: 100 }, caller))
  try {
    await eachInTurn(callers.slice(0, 20), WARM_UP, MODELS.fast)
    const cpuBefore = cpuMs(server.pid)
    const startedAt = performance.now()
    const bytes = (await eachInTurn(callers.slice(0, 20), RUNS, MODELS.fast)).map((run) => run.bytes)
    const seconds = (performance.now() - startedAt) / 1000
    const cpu = (cpuMs(server.pid) - cpuBefore) / RUNS
    const one = (await eachInTurn(callers.slice(0, 1), 20, MODELS.first)).map(({ delays }) => delays[0]!)
    const twenty = (await Promise.all(callers.slice(0, 20).map((one) => one.run(MODELS.first)))).map(
      ({ delays }) => delays[0]!,
    )
    // Started one after another: what a hundred starts at once cost is another question.
    const streams = callers.map((one, n) => delay(n * 10).then(() => one.run(MODELS.paced)))
    const paced = (await Promise.all(streams)).flatMap(({ delays }) => delays)
    return {
      'CPU ms per 100-token run': cpu,
      'runs/s, 20 at once': RUNS / seconds,
      'first token, 1 stream, p50 ms': quantile(one, 0.5),
      'first token, 20 streams, p50 ms': quantile(twenty, 0.5),
      'token, 100 × 50/s, p50 ms': quantile(paced, 0.5),
      'token, 100 × 50/s, p99 ms': quantile(paced, 0.99),
      'bytes per token': bytes.reduce((sum, n) => sum + n, 0) / bytes.length / 100,
      'RSS MB': rssMb(server.pid),
    }
  } finally {
    for (const one of callers) one.close()
  }
}

/** `count` runs, shared among the callers; each caller makes its own one after another. */
async function eachInTurn(callers: Caller[], count: number, model: string) {
  let left = count
  const lanes = callers.map(async (caller) => {
    const results = []
    while (left-- > 0) results.push(await caller.run(model))
    return results
  })
  return (await Promise.all(lanes)).flat()
}

function print(): void {
  const names = Object.keys(rows)
  console.log(`| | ${names.join(' | ')} | Parley against plain |\n|---|${names.map(() => '---|').join('')}---|`)
  for (const metric of Object.keys(rows[names[0]!]!)) {
    const values = names.map((name) => rows[name]![metric]!)
    console.log(
      `| ${metric} | ${values.map((value) => value.toFixed(2)).join(' | ')} | ${(values.at(-1)! / values[0]!).toFixed(1)}× |`,
    )
  }
}
