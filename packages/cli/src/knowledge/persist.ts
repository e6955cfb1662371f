import { setTimeout as wait } from 'node:timers/promises'

type Patience = {
  /** How long the server may be away. */
  patienceMs: number
  /** Told when it went away. */
  onAway: () => void
}

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 5_000

/** Does something again for as long as the server is away: it may be starting again, after a crash or an update. */
export async function persist<Result>(
  action: () => Promise<Result>,
  { patienceMs, onAway }: Patience,
): Promise<Result> {
  const until = performance.now() + patienceMs
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      return await action()
    } catch (error) {
      if (!isAway(error) || performance.now() + waitMs > until) throw error
      onAway()
      await wait(waitMs)
    }
  }
}

/** Nobody answers, or a proxy says so for it, or it has too much to do at the moment. */
export function isAway(error: unknown): boolean {
  const { name, message, status } = error as Error & { status?: number }
  return (name === 'TypeError' && message === 'fetch failed') || [429, 502, 503].includes(status ?? 0)
}
