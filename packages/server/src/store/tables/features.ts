import type { Generated } from 'kysely'
import type { Flag } from './flag.ts'

export type MemoriesTable = {
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
  /** The content as it is searched: one way of writing, one case. */
  folded: string
  /** The same for two memories that say the same about the same. */
  fingerprint: string
  /** What the content is a statement about, where that can be told: of two statements about it the newer is true. */
  claim: string | null
}

export type SchedulesTable = {
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
  /** Grows with every change: what was prepared for an older one is not done. */
  version: number
  /** Digest of the user and the prompt that `skip_confirmations` was said for; for any other it does not hold. */
  consent: string | null
}

/** The row is the claim: a slot that is here has been taken, however many instances there are. */
export type SlotsTable = {
  task_id: string
  /** When it was due, in milliseconds since 1970; of a run that somebody asked for, when they did. */
  slot: number
  run_record_id: string
  fate: 'running' | 'ran' | 'skipped' | 'missed' | 'failed'
  session_id: string | null
  error: string | null
  claimed_at: number
  finished_at: number | null
  /** The run that the session began with. */
  run_id: string | null
  is_manual: Flag
  /** Of `missed`: the row stands for every slot before this time. */
  slots_before: number | null
}

export type ConfirmationsTable = {
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
  /** What the tool is called, for people. */
  display_name: string | null
  /** The end of what the agent said before it asked. */
  asked_after: string | null
  /** JSON: why it asks. */
  why: string | null
  /** JSON: what the call would make of a file, as that was when it asked. */
  change: string | null
  /** What the decider said. */
  decision_reason: string | null
}

/** The task list of a session, as the agent keeps it. */
export type TasksTable = {
  session_id: string
  id: string
  title: string
  description: string | null
  status: string
  created_at: string
  updated_at: string
}

export type BackgroundTasksTable = {
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
export type ToolVersionsTable = {
  name: string
  digest: string
  /** JSON: `{ description, input }`. */
  definition: string
  /** `null`: by its first use. */
  approved_by: string | null
  approved_at: number
}

/** What somebody thinks of an answer; one per turn, the session's own user's. */
export type FeedbackTable = {
  session_id: string
  turn_id: string
  user_id: string
  value: 'like' | 'dislike'
  comment: string | null
  created_at: number
  updated_at: number
}

/** A link that shows a session to whoever has it. `id` is the part of its token that is no secret. */
export type SharesTable = {
  id: string
  session_id: string
  /** Of the whole token. */
  hash: string
  created_at: number
  /** `null`: until somebody ends it. */
  expires_at: number | null
}

/** What the user might ask after a turn. Made once: whoever has the row's claim asks the model. */
export type SuggestionsTable = {
  session_id: string
  turn_id: string
  /** JSON: list of texts; `null` while they are being made. */
  items: string | null
  /** Who makes them, and until when nobody else tries. */
  claim: string
  claimed_until: number
}

/** Which version of an agent new sessions get; `digest` is `null` once its folder is gone. */
export type AgentsTable = { name: string; digest: string | null; changed_at: number }

/** An agent as its folder was at one moment. Rows are never changed, but for one that cannot be opened. */
export type AgentVersionsTable = {
  name: string
  digest: string
  created_at: number
  /** The folder's files, packed and sealed with the server's secret. */
  files: string
}

/** A tool in a product's backend that was made over REST. */
export type HttpToolsTable = {
  name: string
  /** JSON: all that is known of it but its secret. */
  definition: string
  /** Sealed. */
  secret: string
  created_at: number
  updated_at: number
}

/**
 * A call that a backend was asked: `sent` before the request leaves, `accepted` after a 202, `answered` by a call back,
 * `closed` when nothing that comes counts any more.
 */
export type HttpToolCallsTable = {
  call_id: string
  session_id: string
  /** The run that made it; once that is over, so is the call. */
  run_id: string
  tool: string
  state: 'sent' | 'accepted' | 'answered' | 'closed'
  accepted_at: number | null
  /** JSON: what a call back brought, as the tool gives it back. */
  output: string | null
  /** Of what it brought: the same once more is no other. */
  digest: string | null
}

/** What an agent works out with programs of its own. `id` is unique on the whole server and grows. */
export type AnalysesTable = {
  id: Generated<number>
  session_id: string
  /** The call that works on it, or did so last: begun again, it goes on where it was. */
  call_id: string
  /** `none`: no result yet. `bad`: the result is none that could be shown. */
  state: 'none' | 'ready' | 'bad'
  /** JSON: the sub-agent's conversation. */
  memory: string
  created_at: number
  updated_at: number
  /** JSON: the list of chart options. */
  charts: string | null
}

/** Models behind one endpoint, made over REST. */
export type ModelConfigsTable = {
  id: Generated<number>
  name: string
  provider: string
  /** Empty: where that provider always is. */
  base_url: string
  /** Sealed. */
  api_key: string
  /** JSON. */
  models: string
  is_active: Flag
  created_at: string
  updated_at: string
}

/** What a workspace was like at some time. */
export type WorkspaceStatesTable = {
  session_id: string
  /** Of the newest user turn at that time. */
  sequence: number
  /** `''`: before the first change after that turn. */
  name: string
  /** JSON: where its manifest and its contents are; `null`: there is none. */
  state: string | null
  /** Why there is none. */
  problem: string | null
  taken_at: number
}
