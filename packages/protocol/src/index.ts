/** The public surface of the wire protocol, name by name. */
export { emptyProjection, reduce, withRestTurns, findTurn, openQuestions } from './reduce.ts'
export type { Projection } from './reduce.ts'
export { applyPatch } from './apply-patch.ts'
export {
  emptyPatchModeState,
  encodePatch,
  toDelta,
  toCompat,
  toSync,
  takeDueSyncs,
  nextSyncAt,
  endPatches,
} from './patch-mode.ts'
export type { PatchModeState, PatchInput, PatchOutput } from './patch-mode.ts'
export {
  chatStartSchema,
  turnEventSchema,
  chatEndSchema,
  sessionUpdatedSchema,
  workspaceFilesChangedSchema,
  systemErrorSchema,
  systemNotificationSchema,
  eventSchemas,
  numberEvent,
} from './events.ts'
export { turnOf } from './turn-of.ts'
export {
  scopeSchema,
  subjectSchema,
  createTokenSchema,
  createdTokenSchema,
  visitorTokenSchema,
  revokeTokensQuerySchema,
  tokenQuerySchema,
  tokenPageSchema,
  authRenewSchema,
  authExpirySchema,
} from './visitor-token.ts'
export type {
  Scope,
  CreateToken,
  CreatedToken,
  VisitorToken,
  TokenQuery,
  TokenPage,
  AuthRenewPayload,
  AuthExpiry,
} from './visitor-token.ts'
export { isEventName } from './event-names.ts'
export type { EventName } from './event-names.ts'
export type {
  ChatStartPayload,
  TurnProjectionPayload,
  ChatEndPayload,
  SessionUpdatedPayload,
  WorkspaceFilesChangedPayload,
  SystemErrorPayload,
  SystemNotificationPayload,
  EventPayload,
  SessionEvent,
  NewSessionEvent,
  ServerToClientEvents,
} from './events.ts'
export {
  clientMessageIdSchema,
  runtimeEnvSchema,
  handshakeSchema,
  subscribeSchema,
  unsubscribeSchema,
  whatIfSchema,
  chatSendSchema,
  chatStopSchema,
  chatCompactSchema,
  chatAppendSchema,
  commandSchemas,
  ackErrorSchema,
  ackOkSchema,
  subscribeOkSchema,
  chatSendOkSchema,
} from './commands.ts'
export type {
  Handshake,
  SubscribePayload,
  UnsubscribePayload,
  WhatIf,
  ChatSendPayload,
  ChatSend,
  ChatStopPayload,
  ChatCompactPayload,
  ChatAppendPayload,
  AckError,
  AckOk,
  SubscribeOk,
  ChatSendOk,
  CommandOk,
  Ack,
  ClientToServerEvents,
} from './commands.ts'
export { isCommandName } from './command-names.ts'
export type { CommandName } from './command-names.ts'
export { ERROR_STATUS, isErrorCode, AgentError, isAgentError } from './errors.ts'
export type { ErrorCode } from './errors.ts'
export { errorBodySchema } from './error-body.ts'
export type { ErrorBody } from './error-body.ts'
export {
  sessionStatusSchema,
  replayStateSchema,
  sessionSchema,
  sessionDetailSchema,
  createSessionSchema,
  createdSessionSchema,
  sessionQuerySchema,
  sessionPageSchema,
  updateSessionSchema,
  pinSessionSchema,
  sessionMemorySchema,
  sessionSharingSchema,
} from './session.ts'
export type {
  SessionStatus,
  ReplayState,
  Session,
  SessionDetail,
  CreateSession,
  CreatedSession,
  SessionQuery,
  SessionPage,
  UpdateSession,
} from './session.ts'
export { turnStatusSchema, turnProjectionSchema } from './turn.ts'
export { ROOT_LOOP } from './root-loop.ts'
export { textOf, thinkingOf } from './turn-text.ts'
export type { TurnStatus, TurnProjection } from './turn.ts'
export { modeSchema, planStatusSchema, recordedAnswerSchema, contentBlockSchema } from './block.ts'
export type { Mode, PlanStatus, RecordedAnswer, ContentBlock, BlockType } from './block.ts'
export { toolCallStatusSchema, pendingQuestionRefSchema, toolCallProjectionSchema } from './tool-call.ts'
export type { ToolCallStatus, PendingQuestionRef, ToolCallProjection } from './tool-call.ts'
export { parseArguments } from './parse-arguments.ts'
export { isSpecialTool } from './special-tool.ts'
export type { SpecialTool } from './special-tool.ts'
export {
  patchModeSchema,
  addContentSchema,
  addToolCallSchema,
  toolResultSchema,
  setStatusSchema,
  setToolStatusSchema,
  syncSchema,
  patchEnvelopeSchema,
} from './patch.ts'
export type {
  PatchMode,
  AddContent,
  AddToolCall,
  ToolResult,
  SetStatus,
  SetToolStatus,
  Sync,
  PatchEnvelope,
  PatchType,
  Patch,
} from './patch.ts'
export { messagePartSchema, messageContentSchema, isEmptyMessage } from './message.ts'
export type { MessageContentPart, MessageContent } from './message.ts'
export {
  questionOptionSchema,
  questionSchema,
  askUserQuestionSchema,
  askUserAnswerSchema,
  questionAnswerSchema,
  pendingQuestionSchema,
} from './question.ts'
export type {
  Question,
  AskUserQuestion,
  AskUserAnswer,
  GivenAnswer,
  QuestionAnswer,
  PendingQuestion,
} from './question.ts'
export { questionsOf } from './questions-of.ts'
export { validateAnswer, answersOf } from './answer.ts'
export type { AnswerReason, AnswerProblem } from './answer.ts'
export {
  riskSchema,
  confirmationStatusSchema,
  confirmationCardSchema,
  confirmationSchema,
  confirmationDecisionSchema,
} from './confirmation.ts'
export type { Risk, ConfirmationStatus, ConfirmationCard, Confirmation, ConfirmationDecision } from './confirmation.ts'
export { bridgeSchema, uiCardSchema, metaOf, withoutMeta } from './meta.ts'
export type { Bridge, UiCard, ToolMeta } from './meta.ts'
export {
  memoryRefSchema,
  memoryTypeSchema,
  memoryRecordTypeSchema,
  memorySchema,
  createMemorySchema,
  updateMemorySchema,
  disableMemorySchema,
  memoryBatchSchema,
  memoryQuerySchema,
} from './memory.ts'
export type { MemoryRef, Memory, CreateMemory, UpdateMemory, MemoryBatch, MemoryQuery } from './memory.ts'
export { usageSchema, addUsage } from './usage.ts'
export type { Usage } from './usage.ts'
export { historyNodeSchema, sessionHistorySchema } from './history.ts'
export type { HistoryNode, SessionHistory } from './history.ts'
export { taskSchema } from './task.ts'
export type { Task } from './task.ts'
export { backgroundTaskSchema } from './background-task.ts'
export type { BackgroundTask } from './background-task.ts'
export { skillSummarySchema } from './skill.ts'
export type { SkillSummary } from './skill.ts'
export { artifactSchema } from './artifact.ts'
export type { Artifact } from './artifact.ts'
export { apiKeySchema, apiKeyNameSchema, createdApiKeySchema } from './api-key.ts'
export type { ApiKey, ApiKeyName, CreatedApiKey } from './api-key.ts'
export {
  scheduledTaskSchema,
  scheduledTaskRunSchema,
  createScheduledTaskSchema,
  updateScheduledTaskSchema,
  calendarQuerySchema,
  calendarEntrySchema,
} from './scheduled-task.ts'
export type {
  ScheduledTask,
  ScheduledTaskRun,
  CreateScheduledTask,
  UpdateScheduledTask,
  CalendarQuery,
  CalendarEntry,
} from './scheduled-task.ts'
export {
  restChatSchema,
  restRequestSchema,
  restChatQuerySchema,
  restChatResultSchema,
  messagesQuerySchema,
} from './chat-over-rest.ts'
export type { RestChat, RestChatResult, RestRequest, MessagesQuery } from './chat-over-rest.ts'
export {
  PROTOCOL_VERSION,
  healthSchema,
  modelsConfigSchema,
  versionSchema,
  identitySchema,
  loginQuerySchema,
  logoutSchema,
  serverConfigSchema,
} from './server-info.ts'
export type { Health, ModelsConfig, Version, Identity, ServerConfig } from './server-info.ts'
export {
  feedbackValueSchema,
  giveFeedbackSchema,
  feedbackSchema,
  feedbackQuerySchema,
  feedbackPageSchema,
} from './feedback.ts'
export type { FeedbackValue, GiveFeedback, Feedback, GivenFeedback, FeedbackQuery, FeedbackPage } from './feedback.ts'
export { suggestionsSchema } from './suggestions.ts'
export type { Suggestions } from './suggestions.ts'
export { pageSchema } from './page.ts'
export type { Page } from './page.ts'
export { MAX_JSON_DEPTH, parseBoundedJson, isTextDeeper, isDeeper } from './bounded-json.ts'
export { columnText } from './open-schema.ts'
export { BRIDGE_PROTOCOL, checkOrigins, hostOrigins, makeEnvelope, readEnvelope } from './bridge-envelope.ts'
export type { BladeBridgeEnvelope, BridgeMeta } from './bridge-envelope.ts'
