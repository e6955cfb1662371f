import type { Generated } from 'kysely'

/**
 * Every table, for both databases. Names that also cross the wire keep their wire names. Dates that clients see are ISO
 * text; times that the server compares are integers, milliseconds since 1970, taken with the SQL function `now_ms()`
 * (SQLite: the server's clock; PostgreSQL: the database's). Flags are 0 or 1.
 */
export type Schema = {
  meta: MetaTable
  users: UsersTable
  api_keys: ApiKeysTable
  visitor_tokens: VisitorTokensTable
  sessions: SessionsTable
  gates: GatesTable
  runs: RunsTable
  commands: CommandsTable
  instances: InstancesTable
  events: EventsTable
  turns: TurnsTable
  memories: MemoriesTable
  schedules: SchedulesTable
  slots: SlotsTable
  confirmations: ConfirmationsTable
  audit: AuditTable
  tasks: TasksTable
  background_tasks: BackgroundTasksTable
  tool_versions: ToolVersionsTable
  feedback: FeedbackTable
  suggestions: SuggestionsTable
  contents: ContentsTable
  search_documents: SearchDocumentsTable
  /** SQLite only: the FTS5 index; its `rowid` is the document's id. */
  search_index: { rowid: number; tokens: string }
}

type Flag = number

/** Texts that hidden events name by their digests: what models were given. */
type ContentsTable = { session_id: string; digest: string; content: string; packed: Flag }

type MetaTable = { key: string; value: string }

type UsersTable = {
  id: string
  username: string
  display_name: string | null
  avatar_url: string | null
  is_owner: Flag
  created_at: string
  /** Of a visitor: the account they visit, and the product's own id of them. */
  account_id: string | null
  external_id: string | null
}

type ApiKeysTable = {
  id: string
  user_id: string
  name: string
  /** SHA-256 of the key, hex. The key itself is shown once and never stored. */
  hash: string
  masked: string
  created_at: string
  last_used_at: string | null
  revoked_at: string | null
}

/** One row per live token; a revoked one is gone. */
type VisitorTokensTable = {
  id: string
  /** SHA-256 of the token, hex. */
  hash: string
  account_id: string
  /** The visitor. */
  user_id: string
  /** The API key it was made with, and ends with. */
  key_id: string
  /** Names, with spaces between them. */
  scopes: string
  created_at: number
  expires_at: number
}

type SessionsTable = {
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

type RunsTable = {
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
  /** JSON: the `chat:end` payload, once ended. */
  outcome: string | null
  created_at: number
  ended_at: number | null
}

type CommandsTable = {
  session_id: string
  id: string
  kind: string
  data: string
  at: number
  applied_at: number | null
}

type InstancesTable = { id: string; lease_until: number; started_at: number; detail: string }

type EventsTable = {
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

type TurnsTable = {
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
}

type MemoriesTable = {
  id: Generated<number>
  user_id: string
  type: string
  content: string
  skill_name: string | null
  record_type: string | null
  scope: string | null
  owner: string | null
  topic: string | null
  mem0_id: string | null
  superseded_by: number | null
  write_reason: string | null
  created_at: string
  updated_at: string | null
  hit_count: number
  last_hit_at: string | null
  disabled: Flag
  source_session: string
}

type SchedulesTable = {
  id: string
  user_id: string
  title: string
  prompt: string
  cron: string
  timezone: string
  enabled: Flag
  expires_at: string | null
  skip_confirmations: Flag
  model: string | null
  /** When the next slot is due; `null` when there is none. */
  next_at: number | null
  created_at: string
  updated_at: string
}

/** The row is the claim: a slot that is here has been taken, however many instances there are. */
type SlotsTable = {
  task_id: string
  slot: number
  run_record_id: string
  fate: 'running' | 'ran' | 'skipped' | 'missed' | 'failed'
  session_id: string | null
  error: string | null
  claimed_at: number
  finished_at: number | null
}

type ConfirmationsTable = {
  id: string
  session_id: string
  run_id: string
  turn_id: string
  loop_id: string
  tool_call_id: string
  tool_name: string
  arguments: string
  edited_arguments: string | null
  risk: string
  preview: string | null
  digest: string
  status: 'pending' | 'approved' | 'rejected' | 'expired' | 'withdrawn'
  expires_at: number
  created_at: number
  decided_at: number | null
  decided_by: string | null
  /** The `AskUserQuestion` call that shows it to people. */
  question_id: string | null
  /** Who may decide. */
  user_id: string | null
}

/** The task list of a session, as the agent keeps it. */
type TasksTable = {
  session_id: string
  id: string
  title: string
  description: string | null
  status: string
  created_at: string
  updated_at: string
}

type BackgroundTasksTable = {
  task_id: string
  session_id: string
  /** The server process it runs under; when that is gone, so is the command. */
  instance: string
  command: string
  status: 'running' | 'completed' | 'failed' | 'stopped'
  exit_code: number | null
  /** Why it failed, when the exit code does not tell. */
  failure: string | null
  /** Somebody asked, on any instance, for it to stop. */
  stop_requested: Flag
  started_at: string
  finished_at: string | null
}

/** The version of a foreign tool (MCP) that was first used, or agreed to since. Any other version is blocked. */
type ToolVersionsTable = {
  name: string
  digest: string
  /** JSON: `{ description, input }`. */
  definition: string
  /** `null`: by its first use. */
  approved_by: string | null
  approved_at: number
}

/** What somebody thinks of an answer; one per turn, the session's own user's. */
type FeedbackTable = {
  session_id: string
  turn_id: string
  user_id: string
  value: 'like' | 'dislike'
  comment: string | null
  created_at: number
  updated_at: number
}

/** What the user might ask after a turn. Made once: whoever has the row's claim asks the model. */
type SuggestionsTable = {
  session_id: string
  turn_id: string
  /** JSON: list of texts; `null` while they are being made. */
  items: string | null
  /** Who makes them, and until when nobody else tries. */
  claim: string
  claimed_until: number
}

/** Append-only: the database itself refuses to change or delete a row. */
type AuditTable = {
  id: Generated<number>
  at: number
  actor: string
  action: string
  subject: string
  detail: string | null
}

type SearchDocumentsTable = {
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
