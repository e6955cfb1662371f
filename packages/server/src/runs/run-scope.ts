import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Whose callbacks these are. Everything a run starts carries it along: timers, sockets, child processes, listeners. What
 * one of them throws nobody awaits, so it reaches the process, which asks here whom it belongs to.
 */
const scope = new AsyncLocalStorage<Breakable>()

export type Breakable = { break(error: unknown): void }

export function inRun<T>(run: Breakable, work: () => T): T {
  return scope.run(run, work)
}

/** Fails the run that the current callback belongs to. `false`: it belongs to none. */
export function breakRun(error: unknown): boolean {
  const run = scope.getStore()
  run?.break(error)
  return run !== undefined
}
