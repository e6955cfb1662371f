/** The public surface of the client, name by name. */
export { ParleyClient } from './parley-client.ts'
export type { ParleyClientOptions } from './resolve-options.ts'
export type { TokenGetter, TokenNeed } from './token-source.ts'
export { ParleyApiError } from './rest/parley-api-error.ts'
export { HeadlessError } from './api/headless.ts'
export type { HeadlessApi, HeadlessOptions, HeadlessResult } from './api/headless.ts'
export type { JsonSchema, OutputOf, OutputSchema, StandardSchema } from './api/output-schema.ts'
export { AgentSession } from './session/agent-session.ts'
export type { AnswerOptions, ConnectOptions, ReplaceOptions, SendOptions } from './session/agent-session.ts'
export type { AgentSessionState } from './session/agent-session-state.ts'
export type { SessionListener } from './session/session-audience.ts'
export type { ConnectionState } from './connection/connection-machine.ts'
export type { ClientSocket } from './connection/client-socket.ts'
export type { Query, RequestOptions, Rest } from './rest/rest.ts'
export type { SessionsApi } from './api/sessions-api.ts'
export type { DirectoryEntry, FilesApi, UploadFile, UploadResult } from './api/files-api.ts'
export type { SkillsApi, SkillUpload, UploadedSkill } from './api/skills-api.ts'
export type { MemoriesApi } from './api/memories-api.ts'
export type { ScheduledTasksApi } from './api/scheduled-tasks-api.ts'
export type { AgentsApi } from './api/agents-api.ts'
export type { AddFileOptions, KnowledgeApi } from './api/knowledge-api.ts'
export type { ApiKeysApi } from './api/api-keys-api.ts'
export type { LedgerApi } from './api/ledger-api.ts'
export type { AuthApi } from './api/auth-api.ts'
export type { InboxApi } from './api/inbox-api.ts'
export type { PolicyApi } from './api/policy-api.ts'
// [W14.2] Names of the wire that applications import from here.
export type {
  ServerToClientEvents,
  ClientToServerEvents,
  TurnProjection,
  ContentBlock,
  ToolCallProjection,
  PatchEnvelope,
  ChatSendPayload,
  ChatStopPayload,
  ChatCompactPayload,
  ChatStartPayload,
  ChatEndPayload,
  TurnProjectionPayload,
  SessionUpdatedPayload,
  WorkspaceFilesChangedPayload,
  SystemErrorPayload,
  SystemNotificationPayload,
  MemoryRef,
  MessageContent,
  MessageContentPart,
  Session,
  SessionDetail,
} from '@parley/protocol'
export type {
  CheckedOut,
  Checkpoint,
  CreateMemory,
  CreateSession,
  Memory,
  MemoryQuery,
  Rewound,
  SessionHistory,
  SwitchedBranch,
  UpdateMemory,
} from '@parley/protocol/rest'
