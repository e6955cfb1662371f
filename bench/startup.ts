/**
 * How soon after its start does a server with an existing database answer? From the start of the process to the first
 * 200 of `GET /api/health`, beside a bare Node server that only does that. Run: node bench/startup.ts [--json file]
 */
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startNode } from '@parley/testkit'

const BUDGET_MS = 600
const BUDGET_MB = 110
const STARTS = 11
const DEADLINE_MS = 30_000

const BARE = `import { createServer } from 'node:http'
  createServer((request, response) => response.end('{}')).listen(Number(process.env.PARLEY_PORT), '127.0.0.1')`

const directory = await mkdtemp(join(tmpdir(), 'parley-bench-'))
try {
  const bareFile = join(directory, 'bare.mjs')
  await writeFile(bareFile, BARE)
  const parleyFile = join(import.meta.dirname, '../packages/server/bundle/main.js')
  await start(parleyFile) // makes the database
  const bare: Start[] = []
  const parley: Start[] = []
  for (let n = 0; n < STARTS; n++) {
    bare.push(await start(bareFile))
    parley.push(await start(parleyFile))
  }
  const rows = { 'bare Node': median(bare), Parley: median(parley), budget: { readyMs: BUDGET_MS, rssMb: BUDGET_MB } }
  console.log('\n| server | ready after ms | resident MB |\n| --- | --- | --- |')
  for (const [name, { readyMs, rssMb }] of Object.entries(rows))
    console.log(`| ${name} | ${readyMs.toFixed(0)} | ${rssMb.toFixed(0)} |`)
  console.log(
    `\nParley takes ${(rows.Parley.readyMs / rows['bare Node'].readyMs).toFixed(1)} times as long as bare Node.`,
  )
  const jsonAt = process.argv.indexOf('--json')
  if (jsonAt > 0) await writeFile(process.argv[jsonAt + 1]!, JSON.stringify(rows, null, 2))
} finally {
  await rm(directory, { recursive: true, force: true })
}

type Start = { readyMs: number; rssMb: number }

async function start(file: string): Promise<Start> {
  const port = await freePort()
  const startedAt = performance.now()
  await using server = startNode(file, [], {
    env: {
      PARLEY_PORT: String(port),
      PARLEY_DATA_DIR: join(directory, 'data'),
      NODE_COMPILE_CACHE: '',
    },
  })
  await firstAnswer(`http://127.0.0.1:${port}/api/health`, server.exited)
  const readyMs = performance.now() - startedAt
  const rssMb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))![1]) / 1024
  server.signal('SIGTERM')
  await server.exited
  return { readyMs, rssMb }
}

async function firstAnswer(url: string, exited: Promise<unknown>): Promise<void> {
  let isOver = false
  void exited.then(() => (isOver = true))
  const deadline = performance.now() + DEADLINE_MS
  while (!isOver && performance.now() < deadline) {
    const response = await fetch(url).catch(() => undefined)
    await response?.arrayBuffer()
    if (response?.status === 200) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error(`The server ${isOver ? 'ended' : 'gave no answer'} before it was ready.`)
}

function median(starts: Start[]): Start {
  const middle = (key: keyof Start) =>
    starts.map((each) => each[key]).sort((a, b) => a - b)[Math.floor(starts.length / 2)]!
  return { readyMs: middle('readyMs'), rssMb: middle('rssMb') }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
