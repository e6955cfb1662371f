import type { AgentSession, AgentSessionState } from '@parley/client'

type Subscribe = (onChange: () => void) => () => void

/**
 * Every state of a session from now on, the present one first; states nobody waited for are skipped. Also told again is
 * the present one when something beside it changed.
 */
export async function* followSession(
  session: AgentSession,
  signal: AbortSignal,
  beside?: Subscribe,
): AsyncGenerator<AgentSessionState> {
  let wake = () => {}
  let isNew = true
  const changed = () => {
    isNew = true
    wake()
  }
  const undo = [session.subscribe(changed), session.on('chat:end', () => queueMicrotask(changed))]
  if (beside) undo.push(beside(changed))
  signal.addEventListener('abort', changed, { once: true })
  try {
    while (!signal.aborted) {
      if (isNew) {
        isNew = false
        yield session.getState()
        continue
      }
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  } finally {
    signal.removeEventListener('abort', changed)
    for (const stop of undo) stop()
  }
}
