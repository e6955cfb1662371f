import type { Connection } from '../connection/connection.ts'
import { type AgentSessionState, isSameState } from './agent-session-state.ts'
import type { SessionFold } from './session-fold.ts'
import type { SessionFollower } from './session-follower.ts'
import type { SessionHistory } from './session-history.ts'

export type SnapshotSources = {
  sessionId: string
  connection: Connection
  fold: SessionFold
  follower: SessionFollower
  history: SessionHistory
}

/** A session's state as an external store: the same object until something changes. */
export class SessionSnapshot {
  #state: AgentSessionState | null = null
  readonly #subscribers = new Set<() => void>()
  readonly #sources: SnapshotSources

  constructor(sources: SnapshotSources) {
    this.#sources = sources
  }

  get(): AgentSessionState {
    return (this.#state ??= stateOf(this.#sources))
  }

  subscribe(onChange: () => void): () => void {
    this.#subscribers.add(onChange)
    return () => this.#subscribers.delete(onChange)
  }

  /** Something may have changed. */
  refresh(): void {
    const before = this.#state
    const now = stateOf(this.#sources)
    if (before && isSameState(before, now)) return
    this.#state = now
    for (const onChange of this.#subscribers) onChange()
  }
}

function stateOf({ sessionId, connection, fold, follower, history }: SnapshotSources): AgentSessionState {
  const { status, mode, intent, model, run_id, tasks, branch, isDeleted } = fold.projection
  return {
    sessionId,
    turns: fold.turns,
    hasOlder: history.hasOlderOn(branch),
    branch: fold.branch,
    status,
    mode,
    intent,
    model,
    runId: run_id,
    isStreaming: run_id !== null || status === 'running',
    ...fold.derived,
    tasks,
    connection: connection.state,
    isReady: follower.isReady,
    isDeleted,
    isGone: follower.state === 'gone',
    errorMessage: follower.trouble.message ?? fold.runError,
  }
}
