import type { Generated } from 'kysely'
import type { Flag } from './flag.ts'

export type SessionsTable = {
  id: string
  user_id: string
  intent: string
  status: string
  mode: string
  created_at: string
  updated_at: string
  solution_id: string | null
  biz_role_id: string | null
  model: string | null
  shared: Flag
  is_pinned: Flag
  memory_enabled: Flag
  is_persistent: Flag
  replay_state: string | null
  /** JSON array of tool names. */
  disable_tools: string | null
  /** Encrypted. */
  env: string | null
  /** The agent it began with, and which version of it; both `null`: the configuration. */
  agent: string | null
  agent_digest: string | null
  /** JSON: the skill it began with, as it was then. */
  primary_skill: string | null
}

/** What a client calls its session, or a run of it; `kind` says in which protocol. Private to the user. */
export type AliasesTable = {
  user_id: string
  kind: string
  external_id: string
  session_id: string
  /** Of a name for a run. */
  run_id: string | null
  at: number
}

/** One row per session: who may write its journal, and where the journal stands. Every append passes through it. */
export type GatesTable = {
  session_id: string
  /** Number of the last event; 0 before the first. */
  head: number
  /** Raised at every change of owner, over the session's whole life. */
  epoch: number
  /** Numbers that the next append leaves out; set by a take-over. */
  skip: number
  owner: string | null
  lease_until: number
  /** The active run, if any. */
  run_id: string | null
  stop_requested: Flag
  /** Events up to this number may have been pruned. */
  floor: number
  last_at: number
  /** `batch:head` of the last append made under an epoch; read after a commit whose outcome is unknown. */
  last_batch: string | null
}

export type RunsTable = {
  id: string
  session_id: string
  principal: string
  client_message_id: string | null
  /** Of the request's body: the same id with another body is refused. */
  body_digest: string | null
  status: 'active' | 'waiting' | 'ended'
  /** JSON: what the request asked for. */
  options: string
  /** JSON: `{ model, tools }` that an instance must have to carry this run on. */
  needs: string
  /** An instance claims only runs whose format it can read. */
  format: number
  first_seq: number
  /** `runtime_env`, encrypted, until the run ends. */
  secrets: string | null
  /** Take-overs since the last commit point that made progress. */
  takeovers: number
  /** All of them, for good. */
  recoveries: Generated<number>
  /** 1: its last owner left it in good order, and nobody has taken it since. */
  handed_back: Generated<Flag>
  /** The run that had waited for what this one was started by, and in whose turn it goes on. */
  continues: string | null
  /** When it began to wait for a person. */
  paused_at: number | null
  /** JSON: the `chat:end` payload, once ended. */
  outcome: string | null
  created_at: number
  ended_at: number | null
  /** The API key that asked for it. */
  key_id: string | null
}

/** What a run has used, for each of its models; written with its end. It outlives its session: what was spent, was spent. */
export type RunUsageTable = {
  run_id: string
  model: string
  /** 1 on the row that stands for the run itself, and has its times. */
  is_run: Flag
  /** Whose it is, and whose visitors' it is; empty once they are removed. */
  account_id: string
  key_id: string | null
  outcome: string
  /** When it ended, or began to wait. */
  at: number
  input_tokens: number
  cached_tokens: number
  output_tokens: number
  first_token_ms: number | null
  run_ms: number | null
  /** Until a person did something. */
  waited_ms: number
}

export type CommandsTable = {
  session_id: string
  id: string
  kind: string
  data: string
  at: number
  applied_at: number | null
}

export type InstancesTable = { id: string; lease_until: number; started_at: number; detail: string }

export type EventsTable = {
  session_id: string
  event_seq: number
  at: number
  run_id: string | null
  loop_id: string | null
  turn_id: string | null
  type: string
  data: string
  /** On the first event of an append without an epoch: its id, for commits whose outcome is unknown. */
  batch: string | null
}

export type TurnsTable = {
  session_id: string
  sequence: number
  turn_id: string
  run_id: string | null
  loop_id: string
  status: string
  /** JSON: the `TurnProjection`. */
  projection: string
  /** JSON: the messages that stand for this turn in the model's context, with what providers want back intact. */
  messages: string | null
  /** 1: on a branch that is not being talked on, and so neither shown nor given to a model. */
  deprecated: Generated<Flag>
}

/** The courses that a conversation has taken. None: it was never rewound, and has taken one. */
export type BranchesTable = {
  session_id: string
  branch_id: string
  /** JSON: the spans of turns that it consists of; of the active one the last is open. */
  path: string
  active: Flag
  /** The state of the workspace when it was left, where that was kept. */
  files: string | null
  /** Turns from this one on may have been written on it. */
  first_sequence: number
  created_at: number
}

/** Compactions that are complete, so that a loop's context is found without reading what was archived. */
export type CompactionsTable = {
  session_id: string
  loop_id: string
  turn_id: string
  /** Of the compaction's own turn. */
  sequence: number
  /** No turn before this one is part of the context. */
  first_kept: number
}

/** Context windows, in tokens, as providers have told them when a call did not fit. */
export type ModelWindowsTable = { model: string; context_window: number; learned_at: number }

/** Variables that a session was given before, sealed: its history may show their values. */
export type PastSecretsTable = { session_id: string; at: number; sealed: string }

/** Texts that hidden events name by their digests: what models were given. */
export type ContentsTable = { session_id: string; digest: string; content: string; packed: Flag }

export type SearchDocumentsTable = {
  id: Generated<number>
  user_id: string
  kind: string
  /** What the document belongs to and goes away with, e.g. a session's id. */
  parent_id: string
  /** Which part of it, e.g. a turn's id. */
  ref: string
  /** PostgreSQL only: the `tsvector`. */
  tokens?: string
}
