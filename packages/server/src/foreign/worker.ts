import { parentPort, workerData } from 'node:worker_threads'
import { drawChart } from './draw-chart.ts'
import { judgeValue } from './judge-value.ts'
import type { JobName } from './limited-thread.ts'

// The other side of `limited-thread.ts`: one job at a time, each answered once.

const JOBS: Record<JobName, (input: never) => Promise<unknown>> = { schema: judgeValue, chart: drawChart }

const job = JOBS[workerData as JobName] as (input: unknown) => Promise<unknown>

const port = parentPort!
const say = port.postMessage.bind(port)

port.on('message', (input: unknown) => {
  job(input).then(
    (value) => say({ value }),
    (error: unknown) => say({ error: error instanceof Error ? error.message : String(error) }),
  )
})
say({ value: 'ready' })
