import type { AgentSession, ParleyClient } from '@parley/client'
import { watchBridge } from './bridge-actions.ts'

type Held = { session: AgentSession; holders: number; unwatch: () => void }

const held = new WeakMap<ParleyClient, Map<string, Held>>()

/** Follows a session live until the returned function is called. All who hold the same one share it. */
export function holdSession(client: ParleyClient, sessionId: string): () => void {
  const sessions = held.get(client) ?? new Map<string, Held>()
  held.set(client, sessions)
  const entry = sessions.get(sessionId) ?? open(client, sessionId)
  sessions.set(sessionId, entry)
  entry.holders += 1
  let isHeld = true
  return () => {
    if (!isHeld) return
    isHeld = false
    entry.holders -= 1
    // React takes a part out and puts it back at once; that must not end the subscription.
    queueMicrotask(() => {
      if (entry.holders > 0 || sessions.get(sessionId) !== entry) return
      sessions.delete(sessionId)
      entry.unwatch()
      entry.session.dispose()
    })
  }
}

export function findHeldSession(client: ParleyClient, sessionId: string): AgentSession | undefined {
  return held.get(client)?.get(sessionId)?.session
}

/** Runs `work` with the session, followed at least for that long. */
export async function withSession<Answer>(
  client: ParleyClient,
  sessionId: string,
  work: (session: AgentSession) => Promise<Answer>,
): Promise<Answer> {
  const release = holdSession(client, sessionId)
  try {
    const session = findHeldSession(client, sessionId)!
    // Before the history is read nobody could tell its bridge actions from those of the run.
    await session.ready()
    return await work(session)
  } finally {
    release()
  }
}

function open(client: ParleyClient, sessionId: string): Held {
  const session = client.sessions.connect(sessionId)
  return { session, holders: 0, unwatch: watchBridge(session) }
}
