/** Blocks of an agent at work: what it asks and plans. */
import type { Task } from '@parley/protocol'
import type { BlockType } from './block-type.ts'
import type { ContentBlock } from './content-block.ts'

/** `waiting`: answerable. `cancelled`: withdrawn, expired or stopped; read-only like `answered`. */
export type AnswerState = 'waiting' | 'answered' | 'cancelled'

export type QuestionItem = {
  question: string
  header?: string
  /** Empty: free text only. */
  options: Array<{ label: string; description?: string }>
  multiSelect?: boolean
}

export type AnsweredQuestion = { question: string; header?: string; selected: string[]; custom?: string }

/** A form the run waits for. */
export type QuestionForm = {
  /** Goes back with the answer: the tool call, form or interrupt that asked. */
  questionID: string
  questions: QuestionItem[]
  state: AnswerState
  /** Present once answered. */
  answers?: AnsweredQuestion[]
  /** Which sub-agent asks. */
  askedBy?: string
  /** Buttons instead of one "submit", where the platform has several. */
  actions?: Array<{ id: string; title: string }>
  /** An answer is on its way; it counts when the back end has taken it. */
  isSending?: boolean
}
export type QuestionBlock = ContentBlock<BlockType.Question, QuestionForm>

/** What would become of a file: text before and after, or the difference as `diff -u` writes it. */
export type FileChange = {
  path: string
  /** Number of the first line of both texts. Default 1. */
  line?: number
  /** `null`: there is no such file. */
  before?: string | null
  after?: string | null
  diff?: string
}

/** A rule of the server or of the agent, by its place; or the call's risk, the tool itself, or a host that nobody has named. */
export type AskReason = {
  by: 'rule' | 'agent_rule' | 'risk' | 'tool' | 'host'
  number?: number | null
  host?: string | null
}

/** A risky action that runs only with consent. Never answered automatically. */
export type ConfirmationCard = {
  confirmationId: string
  /** What is asked, in the platform's words. */
  message: string
  /** What happens with consent, in a few words. Default: what the kit knows of the tool, else `message`. */
  title?: string
  action: { type: string; target: string; params: Record<string, unknown> }
  risk: 'low' | 'medium' | 'high'
  preview: string
  arguments?: Record<string, unknown>
  change?: FileChange
  /** Why a person is asked, in words or as Parley tells it. */
  reason?: string | AskReason
  /** Identifies the call with exactly these arguments. */
  digest?: string
  /** ISO 8601. */
  expiresAt?: string
  /** The arguments may be changed before approving. */
  editable?: boolean
  /** Somebody else decides. */
  isForOthers?: boolean
  state: AnswerState
  /** A decision is on its way; it counts when the back end has taken it. */
  isSending?: boolean
  /** Present once answered. */
  approved?: boolean
  /** Who decided, and when (ISO 8601), where the back end tells. */
  decidedBy?: string
  decidedAt?: string
}
export type ConfirmationBlock = ContentBlock<BlockType.Confirmation, ConfirmationCard>

/** What the assistant wants to do: `proposed`, `approved`, `rejected`, `in_progress` or `completed`. */
export type Plan = {
  /** Of a back end that tells every change of a plan: the block is always up to date, and stands where it was proposed. */
  planID?: string
  status: string
  plan?: string
  steps?: Array<{ id: string; title: string; status: string }>
  /** With `rejected`: another plan has taken its place. */
  isSuperseded?: boolean
}
export type PlanBlock = ContentBlock<BlockType.Plan, Plan>

/** The session's task list, updated in place. */
export type TasksBlock = ContentBlock<BlockType.Tasks, { tasks: Task[] }>
