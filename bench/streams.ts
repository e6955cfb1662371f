/**
 * What do many streams at once cost? The same paced streams through plain Node that only pipes, and through Parley with
 * its journal on disk, one after the other. Run: node bench/streams.ts [--streams 50,100,200,400] [--seconds 5] [--ai-sdk] [--json file]
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startNode } from '@parley/testkit'
import type { Caller } from './relay/clients.ts'
import { aiSdk, cpuMs, parley, plain, quantile, rssMb, type Target } from './relay/targets.ts'

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '50,100,200,400' },
    seconds: { type: 'string', default: '5' },
    'ai-sdk': { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    json: { type: 'string' },
  },
})
const TOKEN_MS = 20
const tokens = (Number(values.seconds) * 1000) / TOKEN_MS
const model = `tokens=${tokens},ms=${TOKEN_MS}`
const counts = values.streams.split(',').map(Number)

type Row = {
  streams: number
  name: string
  p50: number
  p99: number
  cpu: number
  perSecond: number
  perFrame: number
  rss: number
}
const rows: Row[] = []

const starts = [
  plain,
  ...(values['ai-sdk'] ? [aiSdk] : []),
  (url: string) => parley(url, { models: [model, 'tokens=5,ms=1'] }),
]
for (const streams of counts)
  for (const start of starts) {
    await using stub = startNode(join(import.meta.dirname, 'relay/stub.ts'))
    const target = await start(`http://127.0.0.1:${(await stub.line(/listening (\d+)/))[1]}`)
    if (!target.name.startsWith(values.only)) {
      target.process.signal('SIGKILL')
      continue
    }
    try {
      rows.push(await measure(target, streams))
    } finally {
      target.process.signal('SIGTERM')
      await target.process.exited
    }
  }
print()
if (values.json) await writeFile(values.json, JSON.stringify(rows, null, 2))

async function measure({ name, process: server, caller }: Target, streams: number): Promise<Row> {
  const callers: Caller[] = []
  while (callers.length < streams) {
    const batch = Array.from({ length: Math.min(20, streams - callers.length) }, caller)
    callers.push(...(await Promise.all(batch)))
  }
  try {
    for (let from = 0; from < streams; from += 20)
      await Promise.all(callers.slice(from, from + 20).map((one) => one.run('tokens=5,ms=1')))
    // Started one after another, within a second: what so many starts at once cost is another question.
    const running = callers.map((one, n) => delay((n * 1000) / streams).then(() => one.run(model)))
    await delay(1500)
    const [cpuBefore, startedAt] = [cpuMs(server.pid), performance.now()]
    await delay(Number(values.seconds) * 1000 - 2000)
    const cpu = ((cpuMs(server.pid) - cpuBefore) / (performance.now() - startedAt)) * 100
    const rss = rssMb(server.pid)
    const runs = await Promise.all(running)
    const delays = runs.flatMap((run) => run.delays)
    const frames = runs.reduce((sum, run) => sum + run.frames, 0)
    const seconds = (performance.now() - startedAt + 1500) / 1000
    return {
      streams,
      name,
      p50: quantile(delays, 0.5),
      p99: quantile(delays, 0.99),
      cpu,
      perSecond: delays.length / seconds,
      perFrame: delays.length / frames,
      rss,
    }
  } finally {
    for (const one of callers) one.close()
  }
}

function print(): void {
  console.log(
    '| streams | server | delay p50 ms | p99 ms | % of a core | tokens/s | tokens per frame | RSS MB |\n|---|---|---|---|---|---|---|---|',
  )
  for (const { streams, name, p50, p99, cpu, perSecond, perFrame, rss } of rows)
    console.log(
      `| ${streams} | ${name} | ${p50.toFixed(0)} | ${p99.toFixed(0)} | ${cpu.toFixed(0)} | ${perSecond.toFixed(0)} | ${perFrame.toFixed(1)} | ${rss.toFixed(0)} |`,
    )
}
