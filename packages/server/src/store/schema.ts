import type {
  ApiKeysTable,
  AuditTable,
  EnvBucketsTable,
  MetaTable,
  PastBucketsTable,
  PreferencesTable,
  SeenMarksTable,
  SessionExtrasTable,
  UsersTable,
  VisitorTokensTable,
} from './tables/people.ts'
import type {
  AliasesTable,
  BranchesTable,
  CommandsTable,
  CompactionsTable,
  ContentsTable,
  EventsTable,
  GatesTable,
  InstancesTable,
  ModelWindowsTable,
  PastSecretsTable,
  RunsTable,
  RunUsageTable,
  SearchDocumentsTable,
  SessionsTable,
  TurnsTable,
} from './tables/journal.ts'
import type {
  KnowledgeCollectionsTable,
  KnowledgeDocumentsTable,
  KnowledgeSourcesTable,
  KnowledgeVersionsTable,
} from './tables/knowledge.ts'
import type { PassagesTable, PassageTermsTable, PassageVectorsTable } from './tables/passages.ts'
import type {
  AgentsTable,
  AgentVersionsTable,
  AnalysesTable,
  BackgroundTasksTable,
  ConfirmationsTable,
  FeedbackTable,
  HttpToolCallsTable,
  HttpToolsTable,
  MemoriesTable,
  ModelConfigsTable,
  SchedulesTable,
  SharesTable,
  SlotsTable,
  SuggestionsTable,
  TasksTable,
  ToolVersionsTable,
  WorkspaceStatesTable,
} from './tables/features.ts'

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
  env_buckets: EnvBucketsTable
  past_buckets: PastBucketsTable
  preferences: PreferencesTable
  seen_marks: SeenMarksTable
  session_extras: SessionExtrasTable
  sessions: SessionsTable
  aliases: AliasesTable
  gates: GatesTable
  runs: RunsTable
  run_usage: RunUsageTable
  commands: CommandsTable
  instances: InstancesTable
  events: EventsTable
  turns: TurnsTable
  branches: BranchesTable
  compactions: CompactionsTable
  model_windows: ModelWindowsTable
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
  shares: SharesTable
  past_secrets: PastSecretsTable
  contents: ContentsTable
  agents: AgentsTable
  agent_versions: AgentVersionsTable
  analyses: AnalysesTable
  workspace_states: WorkspaceStatesTable
  model_configs: ModelConfigsTable
  http_tools: HttpToolsTable
  http_tool_calls: HttpToolCallsTable
  search_documents: SearchDocumentsTable
  knowledge_collections: KnowledgeCollectionsTable
  knowledge_documents: KnowledgeDocumentsTable
  knowledge_versions: KnowledgeVersionsTable
  knowledge_sources: KnowledgeSourcesTable
  passages: PassagesTable
  passage_terms: PassageTermsTable
  passage_vectors: PassageVectorsTable
  /** SQLite only: which passages hold a term; its `rowid` is the passage's id. */
  passage_index: { rowid: number; terms: string }
  /** SQLite only: the FTS5 index; its `rowid` is the document's id. */
  search_index: { rowid: number; tokens: string }
}
