/**
 * What somebody who writes a client imports: a session's records, events, commands and errors, and the fold. No schema is
 * reached from here when it runs; the subpaths hold the rest, each listed name by name as well.
 */
export { emptyProjection, reduce, withRestTurns, findTurn, openQuestions } from './reduce.ts'
export type { Projection } from './reduce.ts'

export type { SessionAgent } from './agent.ts'
export type { Session, SessionDetail, SessionStatus, ReplayState } from './session.ts'
export type { ArchivedRange, CompactionTrigger, TrimmedResults, TurnProjection, TurnStatus } from './turn.ts'
export { followPath } from './archive-turns.ts'
export type { Branch, Span } from './branch.ts'
export { isOnPath } from './is-on-path.ts'
export { isUserMessage } from './is-user-message.ts'
export { textOf, thinkingOf } from './turn-text.ts'
export { ROOT_LOOP } from './root-loop.ts'
export type { ContentBlock, BlockType, Mode, PlanStatus, RecordedAnswer } from './block.ts'
export type { ToolCallProjection, ToolCallStatus, PendingQuestionRef } from './tool-call.ts'
export { parseArguments } from './parse-arguments.ts'
export { isSpecialTool } from './special-tool.ts'
export type { MessageContent, MessageContentPart } from './message.ts'
export type {
  Question,
  AskUserQuestion,
  AskUserAnswer,
  GivenAnswer,
  QuestionAnswer,
  PendingQuestion,
} from './question.ts'
export { questionsOf } from './questions-of.ts'
export { validateAnswer } from './answer.ts'
export type { AnswerProblem } from './answer.ts'
export type { Confirmation, ConfirmationCard, ConfirmationStatus, Risk } from './confirmation.ts'
export type { MemoryRef } from './memory.ts'
export type { Source } from './source.ts'
export type { Usage } from './usage.ts'
export type { Task } from './task.ts'
export { MAX_COMMENT } from './max-comment.ts'
export type { BackgroundTask } from './background-task.ts'
export type { SkillSummary } from './skill.ts'
export type { Artifact } from './artifact.ts'

export { isEventName } from './event-names.ts'
export type { EventName } from './event-names.ts'
export type {
  SessionEvent,
  EventPayload,
  ChatStartPayload,
  TurnProjectionPayload,
  ChatEndPayload,
  SessionUpdatedPayload,
  WorkspaceFilesChangedPayload,
  SystemErrorPayload,
  SystemNotificationPayload,
  ServerToClientEvents,
} from './events.ts'
export type { PatchEnvelope, PatchMode } from './patch.ts'

export { isCommandName } from './command-names.ts'
export type { CommandName } from './command-names.ts'
export type {
  Handshake,
  SubscribePayload,
  ChatSendPayload,
  ChatStopPayload,
  ChatCompactPayload,
  ChatAppendPayload,
  Ack,
  AckError,
  CommandOk,
  SubscribeOk,
  ChatSendOk,
  ClientToServerEvents,
} from './commands.ts'

export { AgentError, isAgentError, isErrorCode } from './errors.ts'
export type { ErrorCode } from './errors.ts'
export type { ErrorBody } from './error-body.ts'
