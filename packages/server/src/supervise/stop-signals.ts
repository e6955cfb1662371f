/**
 * One wish to stop comes by several ways at once: from a terminal to everybody in it, from npm once more, from a supervisor,
 * from a service manager to a whole group.
 */
const ECHO_MS = 500

/** Calls back when somebody wants this process to stop; `isAgain` when they are tired of waiting for it. */
export function onStopSignal(listener: (signal: NodeJS.Signals, isAgain: boolean) => void): void {
  let first: number | undefined
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      const now = performance.now()
      const isEcho = first !== undefined && now - first < ECHO_MS
      if (!isEcho) listener(signal, first !== undefined)
      first ??= now
    })
}
