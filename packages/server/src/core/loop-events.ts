import type {
  ArchivedRange,
  CompactionTrigger,
  ErrorCode,
  PendingQuestionRef,
  TrimmedResults,
  TurnStatus,
  Usage as UsageSum,
} from '@parley/protocol'
import type { AskReason } from '@parley/protocol/rest'
import type { AnswerPart, JsonValue, ModelFailure, ModelInput, ToolEffect, Usage } from '../ports.ts'

/**
 * What a loop does, in order. Whoever drives the loop stores each event before asking for the next one, so a step begins
 * only when everything before it is on record; only text may be stored a moment later than it is asked for.
 */
export type LoopEvent =
  /** A model is about to be called (C2a). */
  | { type: 'model:call'; loop_id: string }
  /** What it is given. On record before anything of the answer is. */
  | { type: 'model:input'; loop_id: string; model: string; input: ModelInput }
  | { type: 'model:retry'; attempt: number; delayMs: number; failure: ModelFailure; model: string }
  /** The provider has accepted (C2b). */
  | { type: 'turn:start'; turn_id: string; loop_id: string; parent_fork_tool_call_id: string | null; model: string }
  | { type: 'text'; turn_id: string; block: 'text' | 'thinking'; delta: string; isNewBlock: boolean }
  /** The whole answer with all its calls (C4). `isCut`: it reached a limit of its length, and has none. */
  | {
      type: 'answer'
      turn_id: string
      parts: AnswerPart[]
      calls: AnnouncedCall[]
      usage: Usage | null
      isCut: boolean
    }
  /** This call is about to act (C5). `digest` stands for what a person agreed to, where one was asked. */
  | { type: 'tool:claim'; turn_id: string; tool_call_id: string; attempt: number; digest: string | null }
  /** This call waits for a person's consent (C7). `digest` stands for what would run. */
  | {
      type: 'tool:confirm'
      turn_id: string
      tool_call_id: string
      question_id: string
      digest: string
      why: AskReason
      source_loop: { loop_name: string; description: string } | null
    }
  /** A call that is done in the transaction that stores its result; the inbox tells what became of it. */
  | { type: 'tool:effect'; turn_id: string; tool_call_id: string; effect: ToolEffect }
  /** C6. */
  | {
      type: 'tool:result'
      turn_id: string
      tool_call_id: string
      status: 'done' | 'error' | 'cancelled'
      result: JsonValue
      duration_ms: number
      /** Ends the run, whoever carries it on. */
      ends?: RunError
    }
  | {
      type: 'tool:status'
      turn_id: string
      tool_call_id: string
      status: 'pending' | 'cancelled' | 'awaiting_answer'
      pending_question_ref?: PendingQuestionRef | null
    }
  /**
   * A turn ends; `isEnded` when its `turn:end` went out before, at a pause. `notice` is a remark of the system about it,
   * a turn of its own: stored together, so that a turn that ended has been remarked on.
   */
  | {
      type: 'turn:end'
      turn_id: string
      status: Exclude<TurnStatus, 'streaming'>
      failure_reason: string | null
      isEnded: boolean
      notice?: string
    }
  /** A summary is about to be made: the compaction's turn (C10). */
  | {
      type: 'compaction:start'
      turn_id: string
      loop_id: string
      parent_fork_tool_call_id: string | null
      model: string
      trigger: CompactionTrigger
    }
  /** What its model is given. */
  | { type: 'compaction:input'; turn_id: string; loop_id: string; model: string; input: ModelInput }
  /** Its turn ends: with all that it changes (C11), or with why it changed nothing. */
  | { type: 'compaction:end'; turn_id: string; usage: UsageSum | null; result: Compacted | { failure_reason: string } }
  /** A remark of the system in the conversation, as a turn of its own. */
  | { type: 'notice'; loop_id: string; parent_fork_tool_call_id: string | null; text: string }

export type Compacted = {
  compaction_id: string
  summary_preview: string
  summary_full: string
  archived_count: number
  archived_range: ArchivedRange
  trimmed: TrimmedResults | null
  tokens_before: number
  tokens_after: number
  saved_ratio: number
}

export type AnnouncedCall = {
  id: string
  provider_id: string
  name: string
  display_name: string
  arguments: string
  status: 'pending' | 'awaiting_answer'
}

export type Outcome =
  /** `cut`: the last answer reached a limit of its length. */
  | { status: 'completed'; finish_reason: 'completed' | 'max_turns'; output?: JsonValue; cut?: 'length' }
  /** Waits for people: these questions, oldest first. */
  | { status: 'paused'; refs: PendingQuestionRef[] }
  | { status: 'failed'; finish_reason: 'tool_error' | null; error: RunError }
  | { status: 'interrupted' }
  /** Nothing ended: another instance carries on from what is stored. */
  | { status: 'handed_back' }

export type RunError = { code: ErrorCode; message: string; details?: Record<string, unknown> }
