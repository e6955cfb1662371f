/** The public surface of the client, name by name. */
export { BladeClient } from './blade-client.ts'
export type { BladeClientOptions } from './resolve-options.ts'
export type { TokenGetter, TokenNeed } from './token-source.ts'
export { BladeApiError } from './blade-api-error.ts'
export { HeadlessError } from './headless.ts'
export type { HeadlessApi, HeadlessOptions, HeadlessResult } from './headless.ts'
export type { JsonSchema, OutputOf, OutputSchema, StandardSchema } from './output-schema.ts'
export { AgentSession } from './agent-session.ts'
export type { AnswerOptions, ConnectOptions, SendOptions } from './agent-session.ts'
export type { AgentSessionState } from './agent-session-state.ts'
export type { SessionListener } from './event-listeners.ts'
export type { ConnectionState } from './connection-machine.ts'
export type { ClientSocket } from './client-socket.ts'
export type { Query, RequestOptions, Rest } from './rest.ts'
export type { SessionsApi, SessionsApi as SessionsResource } from './sessions-api.ts'
export type { DirectoryEntry, FilesApi, UploadFile, UploadResult } from './files-api.ts'
export type { SkillsApi, SkillUpload, UploadedSkill } from './skills-api.ts'
export type { ApiKeysApi } from './api-keys-api.ts'
export type { AuthApi } from './auth-api.ts'
// [W14.2] Names of the wire that applications import from here.
export type {
  ServerToClientEvents,
  ClientToServerEvents,
  TurnProjection,
  ContentBlock,
  ToolCallProjection,
  PatchEnvelope,
  PatchEnvelope as PatchEnvelopePayload,
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
  CreateSession,
  CreateSession as CreateSessionRequest,
  SessionHistory,
} from '@parley/protocol'
