/**
 * What does hostility cost? One server attacked through every door at once, by a provider, tools, commands and requests
 * that mean no good; beside the same server doing ordinary runs. Every attack must end, and the server must be there
 * afterwards. Run, after a build: node bench/attack.ts [--json file]
 */
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type NodeProcess, startNode } from '@parley/testkit'
import { knock, type Target } from './attack/doors.ts'
import { type Attack, ATTACKS } from './attack/runs.ts'

const KEY = 'sk-bench-0123456789012345678901234567'
const LANES = 8
const RUN_LIMIT_MS = 120_000
const here = import.meta.dirname

await using stub = startNode(join(here, 'attack/provider.ts'))
const provider = `http://127.0.0.1:${(await stub.line(/listening (\d+)/))[1]}/v1`
const directory = await mkdtemp(join(tmpdir(), 'parley-attack-'))
const rows: Record<string, Row> = {}
try {
  const quiet = Array.from({ length: ATTACKS.length }, (_, n) => ({ message: { text: `answer ${n}` } }))
  rows['ordinary runs'] = await measure('quiet', quiet, () => Promise.resolve(0))
  rows['under attack'] = await measure('attacked', ATTACKS, knock)
} finally {
  await rm(directory, { recursive: true, force: true })
}
const names = Object.keys(rows['under attack'])
console.log(`\n| | ${names.join(' | ')} |\n| --- |${' --- |'.repeat(names.length)}`)
for (const [name, row] of Object.entries(rows)) console.log(`| ${name} | ${Object.values(row).join(' | ')} |`)
const jsonAt = process.argv.indexOf('--json')
if (jsonAt > 0) await writeFile(process.argv[jsonAt + 1]!, JSON.stringify(rows, null, 2))

type Row = Record<string, number | string>

async function measure(name: string, runs: Attack[], besides: (target: Target) => Promise<number>): Promise<Row> {
  const cwd = join(directory, name)
  await using server = await start(cwd)
  const target = { url: (await server.line(/listening on (http:[^"\s]+)/))[1]!, key: KEY }
  const startedAt = performance.now()
  const left = [...runs]
  const unended: Attack[] = []
  const lanes = Array.from({ length: LANES }, async () => {
    for (let one = left.shift(); one; one = left.shift()) if (!(await attack(target, one))) unended.push(one)
  })
  const [knocks] = await Promise.all([besides(target), ...lanes])
  for (const one of unended) console.error(`without an end: ${JSON.stringify(one).slice(0, 200)}`)
  const health = await fetch(`${target.url}/api/health`).then((reply) => reply.text())
  server.signal('SIGUSR2')
  const [, longest, p99] = await server.line(/longest pause (\S+) ms, p99 (\S+) ms/)
  return {
    'hostile inputs': name === 'quiet' ? 0 : runs.length + knocks,
    'longest pause ms': longest!,
    'p99 pause ms': p99!,
    'highest memory MB': (peakKb(server.pid) / 1024).toFixed(0),
    'without an end': unended.length,
    seconds: ((performance.now() - startedAt) / 1000).toFixed(0),
    'health after': health.slice(0, 40),
  }
}

/** The server as people start it, with a hostile MCP server, and the measuring part loaded into it. */
async function start(cwd: string): Promise<NodeProcess> {
  await mkdir(cwd)
  const config = {
    port: 0,
    ownerKey: KEY,
    language: 'en',
    modelUrl: provider,
    model: 'hostile',
    mcpServers: { hostile: { command: process.execPath, args: [join(here, 'attack/mcp-server.ts')], risk: 'low' } },
  }
  await writeFile(join(cwd, 'parley.config.json'), JSON.stringify(config))
  const measure = pathToFileURL(join(here, 'attack/measure.ts')).href
  return startNode(join(here, '../packages/server/bundle/main.js'), [], {
    env: { NODE_OPTIONS: `--import=${measure}` },
    cwd,
  })
}

/** True when the run came to an end: any end. */
async function attack({ url, key }: Target, { message, output_schema }: Attack): Promise<boolean> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const signal = AbortSignal.timeout(RUN_LIMIT_MS)
  try {
    const made = await fetch(`${url}/api/sessions`, { method: 'POST', headers, body: '{}', signal })
    const { id } = (await made.json()) as { id: string }
    const body = JSON.stringify({ message: JSON.stringify(message), output_schema, timeout_ms: RUN_LIMIT_MS / 2 })
    const reply = await fetch(`${url}/api/sessions/${id}/chat`, { method: 'POST', headers, body, signal })
    await reply.arrayBuffer()
    const shown = await fetch(`${url}/api/sessions/${id}`, { headers, signal })
    const { status } = (await shown.json()) as { status: string }
    const history = await fetch(`${url}/api/sessions/${id}/messages`, { headers, signal })
    await history.arrayBuffer()
    return status !== 'running' && reply.status !== 500 && history.status === 200
  } catch (error) {
    console.error(String(error))
    return false
  }
}

function peakKb(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1])
}
