/** Loaded into the server that is measured: asked by SIGUSR2, it says how long its event loop has stood still at most. */
import { monitorEventLoopDelay } from 'node:perf_hooks'

const RESOLUTION_MS = 10
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
delay.enable()
process.on('SIGUSR2', () => {
  const pause = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS).toFixed(1)
  process.stdout.write(`longest pause ${pause(delay.max)} ms, p99 ${pause(delay.percentile(99))} ms\n`)
  delay.reset()
})
