import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** Swaps `place` between the directory it is and a link to `target`, as fast as it can, for at most 10 s. */
const SWAP = `
  const { renameSync, rmSync, symlinkSync } = require('node:fs')
  const [place, target] = process.argv.slice(1)
  const until = Date.now() + 10_000
  function stay(microseconds) {
    const end = performance.now() + microseconds / 1_000
    while (performance.now() < end) {}
  }
  // Whoever works there may have made something in the moment when nothing was.
  function put(deed) {
    for (;;) {
      try {
        return deed()
      } catch {
        rmSync(place, { recursive: true, force: true })
      }
    }
  }
  process.stdout.write('swapping')
  while (Date.now() < until) {
    renameSync(place, place + '.real')
    put(() => symlinkSync(target, place))
    stay(100)
    rmSync(place)
    put(() => renameSync(place + '.real', place))
    stay(200)
  }`

/** Another process that plays the trick; ends with it disposed. */
export async function startSwapping(place: string, target: string): Promise<AsyncDisposable> {
  const child: ChildProcess = spawn(process.execPath, ['-e', SWAP, place, target], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await once(child.stdout!, 'data', { signal: AbortSignal.timeout(10_000) })
  return {
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit')
        child.kill('SIGKILL')
        await ended
      }
    },
  }
}
