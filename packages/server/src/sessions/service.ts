import type { ChatSend } from '@parley/protocol/wire'
import type { Branch, Confirmation, MessageContent, Session, SessionDetail, TurnProjection } from '@parley/protocol'
import type {
  CheckedOut,
  Checkpoint,
  ConfirmationDecision,
  ContextStats,
  CreateSession,
  InboxConfirmation,
  InboxQuestion,
  SessionHistory,
  SessionPage,
  SessionQuery,
} from '@parley/protocol/rest'
import type { Principal } from '../auth/principal.ts'
import type { EarlierMessage } from '../runs/accept/import-history.ts'
import type { RunTerms } from '../store/run-options.ts'
import type { Work } from '../store/work.ts'

export type Accepted = {
  session_id: string
  run_id: string
  /** The journal's last number before this run's first event: follow from here to see the whole run. */
  since: number
  /** It begins once the compaction under way is over. */
  queued?: true
  /** It answered a question of a run that was under way already, and is not the one to stop it. */
  joins?: true
}

/** `estimated`: by a tokenizer that is not the model's own. */
export type TokenCount = { model: string; counts: number[]; estimated: boolean }

/** What a face asks of the run; and what was said before, for a session that begins with this message. */
export type SendTerms = RunTerms & { history?: readonly EarlierMessage[] }

/** `restore`: what goes back. */
export type WayBack<What> = { checkpoint_id: string; restore: What }

/** Where a conversation is now, and whether files were put back with it; `files_problem`: why not. */
export type BranchResult = {
  branch_id: string
  removed_turns: number
  turns: number
  files_restored: boolean
  files_problem?: string
}

/** `accepted`: files are being put back. The end of that is the hidden event `run:quiet_end` of that run. */
export type BranchOutcome = { done: BranchResult } | { accepted: Accepted }

export type LateAnswer = {
  session_id: string
  confirmation_id: string
  message: string
  client_message_id: string
}

/** By the message that started it; the active one; or the last one there was. */
export type WhichRun = { client_message_id: string } | 'active' | 'last'

export type FoundRun = {
  run_id: string
  /** As in `Accepted`. */
  since: number
  /** Part of what it said has been forgotten; finished turns tell the rest. */
  isPruned: boolean
}

/** `pruned`: it may have been there once. */
export type FoundEvent = 'pruned' | { at: number; type: string; run_id: string | null; run?: FoundRun }

/** What a client of another protocol calls its session; `kind` says which protocol that is. */
export type ClientName = { kind: string; id: string }

/** What a session has from its first moment on; `rows` are part of the transaction that makes it. */
export type Beginning = { session_id: string; rows: () => Work<void> }

/** A session that begins with a message. */
export type FirstMessage = {
  session: CreateSession
  message: string
  headless: boolean
  terms?: RunTerms
  /** Part of the transaction, and before anything else in it: a throw leaves nothing. */
  rows: (begun: { session_id: string; run_id: string }) => Work<void>
}

export type ChatAppend = { session_id: string; message: MessageContent; client_message_id: string | null }

/**
 * What every face calls. Each method checks the caller's right first, then the rules, and throws an `AgentError` with a
 * code of the protocol, having changed nothing. What it resolves with is durable. Nothing here waits for a run: faces
 * watch the journal for that.
 */
export interface Sessions {
  /** With a name, the session that has it already is as good as a new one. */
  create(principal: Principal, body: CreateSession, origin?: ClientName | Beginning): Promise<Session>
  /** By the name that this user's client has given it. */
  find(principal: Principal, name: ClientName): Promise<Session | undefined>
  list(principal: Principal, query: SessionQuery): Promise<SessionPage>
  get(principal: Principal, session_id: string): Promise<Session>
  detail(principal: Principal, session_id: string): Promise<SessionDetail>
  /** The one that is being talked on. */
  branch(principal: Principal, session_id: string): Promise<Branch>
  update(
    principal: Principal,
    session_id: string,
    change: {
      intent?: string
      is_pinned?: boolean
      memory_enabled?: boolean
      /** Takes the place of all that was there. */
      env?: Readonly<Record<string, string>>
    },
  ): Promise<SessionDetail>
  delete(principal: Principal, session_id: string): Promise<void>
  /** All turns of the active branch in ascending order, the ones that are streaming included; `branches`: of all branches; `limit` counts from the end unless `after` is given. */
  messages(
    principal: Principal,
    session_id: string,
    page?: { before?: number; after?: number; limit?: number; branches?: 'all' | undefined },
  ): Promise<TurnProjection[]>
  /** Before every message of its user, on all branches (wire-protocol 12.1). */
  checkpoints(principal: Principal, session_id: string): Promise<Checkpoint[]>
  checkout(
    principal: Principal,
    session_id: string,
    at: { checkpoint_id: string; position: CheckedOut['position'] },
  ): Promise<CheckedOut>
  rewind(
    principal: Principal,
    session_id: string,
    to: WayBack<'both' | 'conversation' | 'files'>,
  ): Promise<BranchOutcome>
  switchBranch(principal: Principal, session_id: string, to: WayBack<'both' | 'conversation'>): Promise<BranchOutcome>
  /** What the model gets of it (wire-protocol 12.2). */
  history(principal: Principal, session_id: string): Promise<SessionHistory>
  /** Starts a compaction (wire-protocol 5.5). Its end is the hidden event `run:quiet_end` of that run. */
  compact(principal: Principal, session_id: string): Promise<Accepted>
  /** How full the model's window is (wire-protocol 12.2). */
  contextStats(principal: Principal, session_id: string): Promise<ContextStats>
  /** How many tokens something would be for this model, or for the default one. */
  tokens(model: string | null, texts: readonly string[]): Promise<TokenCount>
  /** Accepts a message or an answer (wire-protocol 5.3) and sees to it that it runs, here or elsewhere. */
  send(principal: Principal, command: ChatSend, terms?: SendTerms): Promise<Accepted>
  /** Makes a session and sends its first message, or does neither. */
  begin(principal: Principal, first: FirstMessage): Promise<Accepted>
  /** Part of a transaction: nobody waits any more for an answer in this session. `false`: nobody did. */
  expireWait(session_id: string): Work<boolean>
  /** An answer to the last thing that was asked, whose time is over: stored, and said to be too late. */
  answerExpired(principal: Principal, answer: LateAnswer): Promise<Accepted>
  /** A run that a reader wants to see from its beginning; `undefined` when there is none. */
  findRun(principal: Principal, session_id: string, which: WhichRun): Promise<FoundRun | undefined>
  /** An event that a reader says it has; `undefined` when nobody can have seen it. */
  findEvent(principal: Principal, session_id: string, event_seq: number): Promise<FoundEvent | undefined>
  /** `false`: nothing was running and nothing was waiting. With `run_id`, only that run is stopped. */
  stop(principal: Principal, session_id: string, run_id?: string): Promise<boolean>
  /** Whether that run is over, or somebody has asked it to stop. */
  isEnding(principal: Principal, session_id: string, run_id: string): Promise<boolean>
  append(principal: Principal, command: ChatAppend): Promise<void>
  /** Decides a confirmation; throws `already_decided` with the winner's decision when it comes too late. */
  decide(principal: Principal, id: string, decision: ConfirmationDecision): Promise<Confirmation>
  /** What waits for this person, or what was decided last; a visitor's consent waits for their account, too. */
  inbox(
    principal: Principal,
    query: { status: 'pending' | 'decided'; outcome?: string | undefined; decided_by?: string | undefined },
  ): Promise<(InboxConfirmation | InboxQuestion)[]>
  /** One of them, also one that was decided long ago. */
  inboxItem(principal: Principal, id: string): Promise<InboxConfirmation | InboxQuestion>
  confirmations(
    principal: Principal,
    page: { status: string | undefined; limit: number; offset: number },
  ): Promise<{ items: Confirmation[]; total: number }>
}
