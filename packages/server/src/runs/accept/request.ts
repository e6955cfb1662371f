import { AgentError, type AskUserAnswer } from '@parley/protocol'
import type { ChatSend } from '@parley/protocol/wire'
import type { CheckedEdit } from '../../confirm/check-edit.ts'
import type { Decider } from '../../confirm/decide.ts'
import type { Recalled } from '../../context/recall.ts'
import type { Clock, Ids } from '../../ports.ts'
import type { Engine } from '../../store/engine.ts'
import type { RunTerms } from '../../store/run-options.ts'
import type { WonLease } from '../../store/run-rows.ts'
import type { EarlierMessage } from './import-history.ts'
import type { KeptRecalled } from './recalled.ts'
import type { StoredMessage } from './user-message.ts'
import type { Plans } from './mode-change.ts'

/** What a message and an answer have in common: whose they are, and what they ask of the run that they start. */
export type Request = Pick<
  ChatSend,
  'session_id' | 'client_message_id' | 'headless' | 'output_schema' | 'runtime_env'
> & {
  user_id: string
  /** The API key that it came with, for the account's books. */
  key_id?: string | undefined
  /** Of the run that it starts. */
  run_id: string
  /** Of the request as it came: tells a repeated message from another one with the same id. */
  digest: string
  /** The model that the run asks. */
  model: string
  /** Whether the request named it, so that the session keeps it. */
  isModelChosen: boolean
  /** What its face asks of the run. */
  terms?: RunTerms | undefined
}

/** A checked message whose attachments lie in the workspace. */
export type MessageRequest = Request &
  Pick<ChatSend, 'mode' | 'plan_decision' | 'whatif'> & {
    message: StoredMessage
    /** What was said before, elsewhere: the beginning of a session that has none. */
    history?: readonly EarlierMessage[] | undefined
    /** What was found for it, to be stored with it. */
    recalled?: readonly Recalled[] | undefined
    /** The same, stored already while the message waited. */
    kept?: KeptRecalled
  }

export type AnswerRequest = Request & {
  answer: AskUserAnswer
  /** Shown with the answer. */
  message: string | null
  /** What became of arguments that it changes. */
  edit: CheckedEdit | null
  /** Who decides, when it is the answer to a question for consent. */
  decider: Decider
}

export type Acceptance = {
  run_id: string
  since: number
  /** It begins once the compaction under way is over. */
  queued?: true
  /** It is an answer to a run under way. */
  joins?: true
  /** The run to start here; absent when it was accepted before, belongs to a run under way, or is for another instance. */
  lease?: WonLease
}

export type AcceptOptions = {
  engine: Engine
  clock: Clock
  ids: Ids
  owner: string
  leaseMs: number
  contextWindow: (model: string) => number
  /** Tools that only some instances have: whoever carries a run on must have them too. */
  ownTools: () => string[]
  /** Other instances that have given no sign of life for a lease. */
  gone: () => ReadonlySet<string>
  plans: Plans
  /** Encrypts what must not lie in the database in the clear. */
  seal: (text: string) => string
}

export function busy(session_id: string, run_id: string | null): AgentError {
  return new AgentError(
    'session_busy',
    `Session ${session_id} is already running. Wait for chat:end, or send chat:stop.`,
    { details: { session_id, run_id } },
  )
}
