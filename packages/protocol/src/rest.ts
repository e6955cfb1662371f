/** Bodies, queries and answers of REST beyond the records of a session. Types only. */
export type { CreateSession, CreatedSession, UpdateSession, SessionQuery, SessionPage, SessionEnv } from './session.ts'
export type { RestChat, RestChatResult, RestRequest, MessagesQuery } from './chat-over-rest.ts'
export type {
  CompactedSession,
  ContextStats,
  MessagesTokens,
  PromptTokens,
  TokenizeMessages,
  TokenizePrompt,
} from './context-stats.ts'
export type { Checkpoint, CheckedOut, Checkout, Rewind, Rewound, SwitchBranch, SwitchedBranch } from './checkpoint.ts'
export type { HistoryNode, SessionHistory } from './history.ts'
export type { Agent, AgentDetail, AgentVersionInfo } from './agent.ts'
export type { SkillSnapshot } from './skill.ts'
export type { Role, RoleList, Solution, SolutionList } from './solution.ts'
export type { Suggestions } from './suggestions.ts'
export type { ConfirmationDecision } from './confirmation.ts'
export type {
  AccountChanged,
  Inbox,
  InboxConfirmation,
  InboxItem,
  InboxQuery,
  InboxQuestion,
  InboxTool,
} from './inbox.ts'
export type { AskReason, FileChange } from './why-asked.ts'
export type { Policy, PolicyPreview, PolicyRule, TriedPolicy, TryPolicy } from './policy.ts'
export type { Crash, CrashPossibility } from './crash.ts'
export type {
  FeedbackValue,
  GiveFeedback,
  TurnFeedback,
  Feedback,
  GivenFeedback,
  FeedbackQuery,
  SessionFeedbackQuery,
  FeedbackPage,
} from './feedback.ts'
export type {
  CollectionLimits,
  DocumentChange,
  DocumentEntry,
  DocumentInput,
  DocumentsPage,
  DocumentsQuery,
  FileQuery,
  ImportedFile,
  KnowledgeCollection,
  KnowledgeDocument,
  KnowledgeResult,
  KnowledgeSearch,
  SourcePassage,
} from './knowledge.ts'
export type { Memory, CreateMemory, UpdateMemory, MemoryBatch, MemoryQuery } from './memory.ts'
export type {
  ScheduledTask,
  ScheduledTaskRun,
  CreateScheduledTask,
  UpdateScheduledTask,
  ScheduledRunsQuery,
  CalendarQuery,
  CalendarEntry,
  SchedulePreviewQuery,
  SchedulePreview,
} from './scheduled-task.ts'
export type { SandboxInfo, Tool, ToolCallEntry, ToolDetail, ToolKind, ToolList, ToolPolicy } from './tool.ts'
export type { McpServerHealth, McpState, McpTest } from './mcp-server.ts'
export type { ModelTest, ModelTestStep, TestModel } from './model-test.ts'
export type { Instance, InstanceList } from './instance.ts'
export type { CreatedShare, Share, ShareSession } from './share.ts'
export type { ExportQuery, ImportedSession, ImportPreview } from './transfer.ts'
export type { ApiKey, ApiKeyName, CreatedApiKey } from './api-key.ts'
export type { Scope, CreateToken, CreatedToken, VisitorToken, TokenQuery, TokenPage } from './visitor-token.ts'
export type { Health, ModelPrice, ModelsConfig, ModelSource, Version, Identity, ServerConfig } from './server-info.ts'
export type { User, UserRole, Invite, Invitation, ChangeUser, UserQuery, UserPage } from './user.ts'
export type { Run, RunQuery, RunPage, RecordedEvent, RecordedEventQuery, RecordedEvents } from './run.ts'
export type { EmbedOrigin, EnvBucket, EnvironmentGroup, ExtraInfo, Preference, SeenMarks } from './settings.ts'
export type { UsageFigures, UsageQuery, UsageReport, UsageRow } from './usage-report.ts'
export type { AuditPage, AuditQuery, AuditRecord } from './audit.ts'
export type { Page } from './page.ts'
