import type { AgentSession } from '@parley/client'
import { followSession } from './follow-session.ts'

/** The server ends a run within two seconds after it was told to stop. */
const STOPPING_MS = 3000

/** Waits for a run that is being stopped: until it is over, the server refuses the next message. */
export async function untilIdle(session: AgentSession, signal: AbortSignal): Promise<void> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(STOPPING_MS)])
  for await (const { isStreaming } of followSession(session, patience)) if (!isStreaming) return
}
