import { dropApplied } from './commands.ts'
import type { Engine } from './engine.ts'
import { quietSessions } from './gate.ts'
import { pruneEvents } from './prune.ts'

/** The longest that any face promises to replay, and then some. */
const WINDOW_MS = 60 * 60 * 1_000
const SWEEP_MS = 5 * 60 * 1_000
const SESSIONS_PER_SWEEP = 200

/** Forgets increments that nobody may ask for any more. Every instance may sweep; the work is the same twice. */
export function startJanitor(engine: Engine, onError: (error: unknown) => void): Disposable {
  return engine.timers.every(SWEEP_MS, () => void sweep(engine).catch(onError))
}

export async function sweep(engine: Engine, windowMs = WINDOW_MS): Promise<number> {
  let removed = 0
  const quiet = await engine.read(() => quietSessions(windowMs, SESSIONS_PER_SWEEP))
  for (const { session_id, now } of quiet) {
    removed += await engine.write(() => pruneEvents(session_id, now - windowMs))
    await engine.write(() => dropApplied(session_id))
  }
  return removed
}
