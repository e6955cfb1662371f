import type { ApplicationContext, OnboardingInfo } from '../model/application-context.ts'
import type { AdapterIO, Attachment, ChatAdapter, ConfirmationAnswer, QuestionAnswer } from '../model/chat-adapter.ts'
import type { ChatMessageInput } from '../model/chat-message.ts'
import type { ChatOp } from '../model/chat-op.ts'
import type { ConversationHistory } from '../model/conversation-history.ts'
import { RoleType } from '../model/role.ts'
import type { MaybePromise } from './chat-kit-interface.ts'
import { type ClassRun, createClassRun, failureOf } from './class-run.ts'

/** The subclass, as functions. Optional ones are absent when the subclass does not have them. */
export type ClassHost = {
  name: string
  getOnboardingInfo(): MaybePromise<OnboardingInfo>
  generateConversation(title?: string): MaybePromise<string>
  sendMessage(
    text: string,
    ctx: ApplicationContext | undefined,
    conversationID: string | undefined,
    regenerateMessageId: string | undefined,
  ): Promise<ChatMessageInput>
  shouldRefreshToken(status: number, error: object): boolean
  /** A run has begun: render methods apply to it from now on. */
  onRun(run: ClassRun): void
  terminateConversation?: ((id: string) => Promise<void>) | undefined
  getConversations?: ((page: number, size: number) => Promise<ConversationHistory[]>) | undefined
  getConversationMessages?: ((id: string) => Promise<ChatMessageInput[]>) | undefined
  deleteConversation?: ((id: string) => Promise<void>) | undefined
  renameConversation?: ((id: string, title: string) => Promise<void>) | undefined
  sendFeedback?: ((messageID: string, value: 'like' | 'dislike' | null, comment?: string) => Promise<void>) | undefined
  /** The longest comment that `sendFeedback` takes; without it none is asked for. */
  commentLength?: number | undefined
  uploadAttachment?: ((file: File, conversationID?: string, signal?: AbortSignal) => Promise<Attachment>) | undefined
  answerQuestion?: ((answer: QuestionAnswer) => Promise<ChatMessageInput>) | undefined
  answerConfirmation?: ((answer: ConfirmationAnswer) => Promise<ChatMessageInput>) | undefined
}

/** Translates the class API to an adapter, so that the store's rules hold for both. */
export function adapterOfClass(host: ClassHost): ChatAdapter {
  const { terminateConversation, sendFeedback, commentLength, uploadAttachment, answerQuestion, answerConfirmation } =
    host
  return {
    name: host.name,
    onboarding: async () => host.getOnboardingInfo(),
    createConversation: async (_, title) => host.generateConversation(title),
    isAuthError: (status, error) => host.shouldRefreshToken(status, error ?? {}),
    send: ({ text, context, conversationID, regenerate }, io) =>
      runClass(host, io, () => host.sendMessage(text, context, conversationID, regenerate)),
    ...(terminateConversation && { stop: ({ conversationID }) => terminateConversation(conversationID) }),
    ...historyOf(host),
    ...(sendFeedback && { feedback: ({ messageID, value, comment }) => sendFeedback(messageID, value, comment) }),
    ...(commentLength && { commentLength }),
    ...(uploadAttachment && { upload: (file, io, id) => uploadAttachment(file, id, io.signal) }),
    ...(answerQuestion && { answerQuestion: (answer, io) => runClass(host, io, () => answerQuestion(answer)) }),
    ...(answerConfirmation && {
      answerConfirmation: (answer, io) => runClass(host, io, () => answerConfirmation(answer)),
    }),
  }
}

function historyOf(host: ClassHost): Pick<ChatAdapter, 'history'> {
  const { getConversations, getConversationMessages, deleteConversation, renameConversation } = host
  if (!getConversations) return {}
  return {
    history: {
      list: (_, page, size) => getConversations(page, size),
      load: async (id) => (await getConversationMessages?.(id)) ?? [],
      remove: async (id) => deleteConversation?.(id),
      ...(renameConversation && { rename: (id, title) => renameConversation(id, title) }),
    },
  }
}

function runClass(host: ClassHost, io: AdapterIO, call: () => Promise<ChatMessageInput>): AsyncIterable<ChatOp> {
  const run = createClassRun({
    io,
    failureOf: (error) => failureOf(error, (status, body) => host.shouldRefreshToken(status, body)),
    isAnnounced: isSentMessage,
    onResult(result) {
      const answer = result as ChatMessageInput | undefined
      if (run.recorder.hasRendered() || isSentMessage(answer) || !answer?.content?.length) return
      // A back end without streaming: the message it resolved with is the answer.
      answer.content.forEach((block, index) => run.recorder.block({ ...block, key: block.key ?? `block:${index}` }))
      if (answer.messageContext) run.recorder.emit({ op: 'context', patch: answer.messageContext })
    },
  })
  host.onRun(run)
  // In a promise, so that a method that throws at once fails like one that rejects.
  run.settle(Promise.resolve().then(call))
  return run.ops()
}

/** The specification calls what is returned "the sent message": some give back the user's, and it is never the answer. */
function isSentMessage(result: unknown): boolean {
  return (result as ChatMessageInput | undefined)?.role?.type === RoleType.User
}
