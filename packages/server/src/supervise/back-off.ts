export type Pace = {
  /** Before each new start in a row, in milliseconds. There are no more starts than these and the first. */
  waitsMs: readonly number[]
  /** A server that ran this long is well: the count begins anew. */
  steadyMs: number
}

export const PACE: Pace = {
  waitsMs: [0, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000],
  steadyMs: 60_000,
}

/** How a process ended: one of the two is there. */
export type End = { code: number | null; signal: NodeJS.Signals | null }

/** What has happened before: new starts in a row, and whether a server has ever been up. */
export type Past = { restarts: number; wasReady: boolean }

/** After how many milliseconds to start again after this end, if at all. */
export function nextStart(
  end: End,
  { restarts, wasReady }: Past,
  { waitsMs }: Pick<Pace, 'waitsMs'>,
): number | 'never' | 'too often' {
  return isForGood(end, wasReady) ? 'never' : (waitsMs[restarts] ?? 'too often')
}

/** For a shell, a program that died of a signal has this exit code. */
export function exitCodeOf({ code, signal }: End): number {
  return code ?? 128 + (SIGNAL_NUMBERS[signal ?? ''] ?? 0)
}

const SIGNAL_NUMBERS: Record<string, number> = {
  ...{ SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGILL: 4, SIGTRAP: 5, SIGABRT: 6, SIGBUS: 7, SIGFPE: 8, SIGKILL: 9 },
  ...{ SIGSEGV: 11, SIGPIPE: 13, SIGALRM: 14, SIGTERM: 15 },
}

/** Somebody wanted it to end, before the server could say so itself. */
const WANTED: ReadonlySet<string> = new Set(['SIGHUP', 'SIGINT', 'SIGTERM'])

/**
 * 0: in good order. 2 and 4, a wrong configuration or address, stay wrong. 3, storage, stays wrong at a first start; a
 * database that was there before may come back.
 */
function isForGood({ code, signal }: End, wasReady: boolean): boolean {
  if (signal) return WANTED.has(signal)
  return code === 0 || code === 2 || code === 4 || (code === 3 && !wasReady)
}
