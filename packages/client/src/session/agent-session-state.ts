import type { Branch, PendingQuestion, Projection, Session, TurnProjection } from '@parley/protocol'
import { openQuestions } from '@parley/protocol'
import type { ConnectionState } from '../connection/connection-machine.ts'

/** What is known of a session. Immutable; what did not change is the same object as before. */
export type AgentSessionState = {
  readonly sessionId: string
  /** Of the branch that is being talked on, ascending by `sequence`, all loops together. */
  readonly turns: readonly TurnProjection[]
  /** Earlier turns exist that were not read; see `loadOlder`. */
  readonly hasOlder: boolean
  /** The branch that is being talked on; null while nobody has told. */
  readonly branch: Branch | null
  readonly status: Session['status'] | null
  readonly mode: Session['mode'] | null
  readonly intent: string | null
  readonly model: string | null
  /** The active run. */
  readonly runId: string | null
  readonly isStreaming: boolean
  /** Questions that wait for an answer, oldest first, those of sub-agents included. */
  readonly questions: readonly PendingQuestion[]
  readonly tasks: Projection['tasks']
  /** The compaction under way. */
  readonly activeCompaction: TurnProjection | null
  readonly connection: ConnectionState
  /** The history has been read and events are followed. */
  readonly isReady: boolean
  readonly isDeleted: boolean
  /** It cannot be followed: deleted, not there, or not for this credential. */
  readonly isGone: boolean
  /** Why the last run, the connection or the session itself failed; null again once that is over. */
  readonly errorMessage: string | null
}

/** What follows from the turns but not from the text in them. */
export type Derived = Pick<AgentSessionState, 'questions' | 'activeCompaction'>

export const NOTHING_DERIVED: Derived = { questions: [], activeCompaction: null }

/** Walks all turns, so it is not for every increment. An unchanged list of questions stays the same array. */
export function derive(turns: readonly TurnProjection[], before: Derived): Derived {
  const questions = openQuestions(turns)
  const isSame = idsOf(questions) === idsOf(before.questions)
  return {
    questions: isSame ? before.questions : questions,
    activeCompaction: turns.findLast(({ kind, status }) => kind === 'compaction' && status === 'streaming') ?? null,
  }
}

export function isSameState(a: AgentSessionState, b: AgentSessionState): boolean {
  return (Object.keys(a) as (keyof AgentSessionState)[]).every((key) => a[key] === b[key])
}

function idsOf(questions: readonly PendingQuestion[]): string {
  return questions.map(({ tool_call_id }) => tool_call_id).join()
}
