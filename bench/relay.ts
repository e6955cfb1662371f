/**
 * What does the journal cost? The same provider stream through three servers, side by side: Parley with its journal on
 * disk, plain Node that only pipes, and AI SDK's `streamText`. Run: node bench/relay.ts [--json file]
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type NodeProcess, startNode } from '@parley/testkit'
import { type Caller, eventStreamCaller, parleyCaller } from './relay/clients.ts'

const root = join(import.meta.dirname, '..')
const KEY = 'sk-bench-0123456789012345678901234567'
const WARM_UP = 30
const RUNS = 300
const MODELS = { fast: 'tokens=100,ms=0', first: 'tokens=5,ms=20', paced: 'tokens=250,ms=20' }

type Target = { name: string; process: NodeProcess; caller: () => Promise<Caller> }
type Row = Record<string, number>

const rows: Record<string, Row> = {}
await using stub = startNode(join(import.meta.dirname, 'relay/stub.ts'))
const provider = `http://127.0.0.1:${(await stub.line(/listening (\d+)/))[1]}`
const directory = await mkdtemp(join(tmpdir(), 'parley-bench-'))
try {
  for (const start of [plain, aiSdk, parley]) {
    const target = await start()
    await using _process = target.process
    rows[target.name] = await measure(target)
  }
} finally {
  await rm(directory, { recursive: true, force: true })
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

async function plain(): Promise<Target> {
  return standIn(
    'plain Node, piping',
    'relay/plain.ts',
    (event) => (event['choices'] as { delta?: { content?: string } }[])[0]?.delta?.content,
  )
}

async function aiSdk(): Promise<Target> {
  return standIn('AI SDK streamText', 'relay/ai-sdk.ts', (event) =>
    event['type'] === 'text-delta' ? (event['delta'] as string) : undefined,
  )
}

async function standIn(
  name: string,
  file: string,
  textOf: (event: Record<string, unknown>) => string | undefined,
): Promise<Target> {
  const server = startNode(join(import.meta.dirname, file), [provider])
  const url = `http://127.0.0.1:${(await server.line(/listening (\d+)/))[1]}`
  return { name, process: server, caller: async () => eventStreamCaller(url, textOf) }
}

async function parley(): Promise<Target> {
  const models = Object.values(MODELS).map((id) => ({
    id,
    provider: 'openai-compatible',
    url: `${provider}/v1`,
    model: id,
  }))
  await writeFile(
    join(directory, 'parley.config.json'),
    JSON.stringify({ models, port: 0, ownerKey: KEY, language: 'en' }),
  )
  const server = startNode(join(root, 'packages/server/bundle/main.js'), [], { cwd: directory })
  const url = (await server.line(/listening on (http:\S+?)"?[,}]/))[1]!.replaceAll('"', '')
  return { name: 'Parley, SQLite journal', process: server, caller: () => parleyCaller(url, KEY) }
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

function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

function rssMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
}

function quantile(values: number[], q: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * q)]!
}
