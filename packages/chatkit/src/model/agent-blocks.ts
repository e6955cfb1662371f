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
}
export type QuestionBlock = ContentBlock<BlockType.Question, QuestionForm>

/** A risky action that runs only with consent. Never answered automatically. */
export type ConfirmationCard = {
  confirmationId: string
  message: string
  action: { type: string; target: string; params: Record<string, unknown> }
  risk: 'low' | 'medium' | 'high'
  preview: string
  arguments?: Record<string, unknown>
  /** Identifies the call with exactly these arguments. */
  digest?: string
  /** ISO 8601. */
  expiresAt?: string
  /** The arguments may be changed before approving. */
  editable?: boolean
  /** Somebody else decides. */
  isForOthers?: boolean
  state: AnswerState
  /** Present once answered. */
  approved?: boolean
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
