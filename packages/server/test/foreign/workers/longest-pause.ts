// Loaded into a server: says on SIGUSR2 how long its event loop ever stood still, in milliseconds.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  // Not the start: loading a program takes its time.
  setTimeout(() => delay.enable(), 1_000).unref()
  process.on('SIGUSR2', () => process.stdout.write(`longest pause ${Math.round(delay.max / 1e6)} ms\n`))
}
