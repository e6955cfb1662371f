/** Schemas (zod) for the edges, where records, events, commands and REST bodies come in; and what is read with them. */
export { eventSchemas } from './events.ts'
export { commandSchemas, handshakeSchema, chatSendSchema, ackErrorSchema, ackOkSchema } from './commands.ts'
export { subscribeOkSchema, chatSendOkSchema } from './commands.ts'
export { authRenewSchema, authExpirySchema } from './visitor-token.ts'
export { errorBodySchema } from './error-body.ts'

export { turnProjectionSchema } from './turn.ts'
export { contentBlockSchema } from './block.ts'
export { toolCallProjectionSchema } from './tool-call.ts'
export { messageContentSchema } from './message.ts'
export { questionSchema, askUserQuestionSchema, askUserAnswerSchema, pendingQuestionSchema } from './question.ts'
export { confirmationSchema, confirmationStatusSchema, confirmationDecisionSchema, riskSchema } from './confirmation.ts'
export { inboxItemSchema, inboxQuerySchema, inboxSchema } from './inbox.ts'
export { askReasonSchema, fileChangeSchema } from './why-asked.ts'
export {
  policyPreviewBodySchema,
  policyPreviewSchema,
  policySchema,
  triedPolicySchema,
  tryPolicySchema,
} from './policy.ts'
export { usageSchema } from './usage.ts'
export { taskSchema } from './task.ts'
export { backgroundTaskSchema } from './background-task.ts'
export { skillSnapshotSchema, skillSummarySchema } from './skill.ts'
export { roleListSchema, roleSchema, solutionListSchema, solutionSchema } from './solution.ts'
export { artifactSchema } from './artifact.ts'
export { metaOf, withoutMeta } from './meta.ts'

export {
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
  sessionEnvSchema,
} from './session.ts'
export { createdShareSchema, shareSchema, shareSessionSchema } from './share.ts'
export { exportQuerySchema, importedSessionSchema, importPreviewSchema } from './transfer.ts'
export { restChatSchema, restChatQuerySchema, restChatResultSchema, messagesQuerySchema } from './chat-over-rest.ts'
export { sessionHistorySchema } from './history.ts'
export { runPageSchema, runQuerySchema, recordedEventQuerySchema, recordedEventsSchema } from './run.ts'
export {
  checkpointSchema,
  checkedOutSchema,
  checkoutSchema,
  rewindSchema,
  rewoundSchema,
  switchBranchSchema,
  switchedBranchSchema,
} from './checkpoint.ts'
export {
  compactedSessionSchema,
  contextStatsSchema,
  messagesTokensSchema,
  promptTokensSchema,
  tokenizeMessagesSchema,
  tokenizePromptSchema,
} from './context-stats.ts'
export { agentSchema, agentDetailSchema } from './agent.ts'
export { crashSchema, crashPossibilitySchema } from './crash.ts'
export { suggestionsSchema } from './suggestions.ts'
export {
  giveFeedbackSchema,
  givenFeedbackSchema,
  turnFeedbackSchema,
  feedbackSchema,
  feedbackQuerySchema,
  sessionFeedbackQuerySchema,
  feedbackPageSchema,
} from './feedback.ts'
export {
  collectionNameSchema,
  collectionSchema,
  documentChangeSchema,
  documentEntrySchema,
  documentInputSchema,
  documentsPageSchema,
  documentsQuerySchema,
  fileQuerySchema,
  importedFileSchema,
  knowledgeCollectionSchema,
  knowledgeDocumentSchema,
  knowledgeResultSchema,
  knowledgeSearchSchema,
  sourcePassageSchema,
} from './knowledge.ts'
export {
  memorySchema,
  createMemorySchema,
  updateMemorySchema,
  disableMemorySchema,
  memoryBatchSchema,
  memoryQuerySchema,
} from './memory.ts'
export {
  scheduledTaskSchema,
  scheduledTaskRunSchema,
  createScheduledTaskSchema,
  updateScheduledTaskSchema,
  scheduledRunsQuerySchema,
  calendarQuerySchema,
  calendarEntrySchema,
  schedulePreviewQuerySchema,
  schedulePreviewSchema,
} from './scheduled-task.ts'
export { toolEntrySchema, toolSchema, toolListSchema, toolDetailSchema } from './tool.ts'
export { mcpServerSchema, mcpTestSchema } from './mcp-server.ts'
export { testModelSchema, modelTestSchema } from './model-test.ts'
export { instanceListSchema } from './instance.ts'
export { apiKeySchema, apiKeyNameSchema, createdApiKeySchema } from './api-key.ts'
export {
  scopeSchema,
  subjectSchema,
  createTokenSchema,
  createdTokenSchema,
  visitorTokenSchema,
  revokeTokensQuerySchema,
  tokenQuerySchema,
  tokenPageSchema,
} from './visitor-token.ts'
export {
  healthSchema,
  modelsConfigSchema,
  versionSchema,
  identitySchema,
  loginQuerySchema,
  logoutSchema,
  serverConfigSchema,
} from './server-info.ts'
export { pageSchema } from './page.ts'
export {
  userSchema,
  usernameSchema,
  inviteSchema,
  invitationSchema,
  changeUserSchema,
  userQuerySchema,
  userPageSchema,
} from './user.ts'
export {
  settingNameSchema,
  envBucketBodySchema,
  envBucketSchema,
  preferenceBodySchema,
  preferenceSchema,
  seenMarksSchema,
  extraInfoBodySchema,
  extraInfoSchema,
  embedOriginQuerySchema,
  embedOriginSchema,
  environmentGroupSchema,
} from './settings.ts'
export { usageQuerySchema, usageReportSchema } from './usage-report.ts'
export { auditPageSchema, auditQuerySchema } from './audit.ts'
export { columnText } from './open-schema.ts'
