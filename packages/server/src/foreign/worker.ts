import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { countTokens } from './count-tokens.ts'
import { drawChart } from './draw-chart.ts'
import { checkValue } from './check-value.ts'
import type { JobName } from './limited-process.ts'

// The other side of `limited-process.ts`. The job has a thread of its own in this process, so that the process notices,
// however busy the job is, when its server is gone.

const JOBS: Record<JobName, (input: never) => Promise<unknown>> = {
  schema: checkValue,
  chart: drawChart,
  tokens: countTokens,
}

if (isMainThread) host(process.argv[2] as JobName, Number(process.argv[3]))
else work(workerData as JobName)

function host(job: JobName, memoryMb: number): void {
  const end = () => process.kill(process.pid, 'SIGKILL')
  const thread = new Worker(new URL(import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  })
  thread.on('message', (reply: object) => process.send?.(reply))
  thread.on('error', end).on('exit', end)
  process.on('message', (input) => thread.postMessage(input, []))
  process.on('disconnect', end)
}

/** One job at a time, each answered once. */
function work(name: JobName): void {
  const job = JOBS[name] as (input: unknown) => Promise<unknown>
  const port = parentPort!
  const say = port.postMessage.bind(port)
  port.on('message', (input: unknown) => {
    job(input).then(
      (value) => say({ value }),
      (error: unknown) => say({ error: error instanceof Error ? error.message : String(error) }),
    )
  })
  say({ value: 'ready' })
}
