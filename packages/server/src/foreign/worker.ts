import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { countTokens } from './count-tokens.ts'
import { drawChart } from './draw-chart.ts'
import { readDocument } from '../knowledge/reading/read-document.ts'
import { checkValue } from './check-value.ts'
import { readOpenApi } from './read-openapi.ts'
import type { JobName } from './limited-process.ts'

// The other side of `limited-process.ts`. The job has a thread of its own in this process, so that the process notices,
// however busy the job is, when its server is gone.

const JOBS: Record<JobName, (input: never) => Promise<unknown>> = {
  schema: checkValue,
  chart: drawChart,
  document: readDocument,
  tokens: countTokens,
  openapi: readOpenApi,
}

/** What Node takes for itself before a job has anything. */
const RUNTIME_MB = 128
const LOOK_MS = 20

if (isMainThread) host(process.argv[2] as JobName, Number(process.argv[3]))
else work(workerData as JobName)

function host(job: JobName, memoryMb: number): void {
  const end = () => process.kill(process.pid, 'SIGKILL')
  const thread = new Worker(new URL(import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  })
  // The limit above counts what JavaScript has: not the bytes of files, nor what WebAssembly and native code allocate.
  const look = () => process.memoryUsage.rss() > (memoryMb + RUNTIME_MB) * 2 ** 20 && end()
  let watch: NodeJS.Timeout | undefined
  thread.on('message', (reply: object) => {
    clearInterval(watch)
    process.send?.(reply)
  })
  thread.on('error', end).on('exit', end)
  process.on('message', (input) => {
    watch = setInterval(look, LOOK_MS)
    thread.postMessage(input, [])
  })
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
