import type { AgentSession, ParleyClient } from '@parley/client'
import { MAX_COMMENT } from '@parley/protocol'
import type { OnboardingInfo } from '../../model/application-context.ts'
import type { AdapterIO, ChatAdapter } from '../../model/chat-adapter.ts'
import { type ChatKitError, chatKitError } from '../../model/chat-kit-error.ts'
import { contextPrompt } from '../context-prompt.ts'
import { readAttachment, withAttachments } from './attachments.ts'
import { createSuggestionsSource } from './ask-suggestions.ts'
import { createConnection } from './connection.ts'
import { findDecision } from './find-decision.ts'
import { isParleyAuthError, parleyError } from './parley-error.ts'
import { followChat } from './follow-chat.ts'
import { parleyHistory } from './parley-history.ts'
import { type Begun, runSession } from './run-session.ts'
import { createSessionViews } from './session-views.ts'
import { untilIdle } from './until-idle.ts'

export type ParleyOptions = {
  onboarding?: OnboardingInfo
  model?: string
  /** Name of the agent that answers in conversations that begin here. Default: the server's own. */
  agent?: string
  /** Offers questions to go on with after each answer. Default true, where the server makes them. */
  suggestedQuestions?: boolean
} & (
  | {
      /** Origin of the server; the kit's token is used for it. */
      baseUrl: string
    }
  | { client: ParleyClient }
)

const notWaiting = (): ChatKitError =>
  chatKitError('not_found', 'This confirmation no longer waits for an answer.', { isNotWaiting: true })

/** The project's own protocol: turns over Socket.IO and REST. */
export function parley(options: ParleyOptions): ChatAdapter {
  const { onboarding } = options
  const place = 'baseUrl' in options ? options.baseUrl : undefined
  const connection = createConnection('client' in options ? options.client : null, place ?? '')
  const { client, ask, connect } = connection
  const views = createSessionViews()
  const suggestionsOf = createSuggestionsSource(connection)
  const partsOf = (id: string, io: AdapterIO) => ({
    io,
    tell: views.tellOf(id, io),
    reopen: () => connection.reopen(id, io),
  })
  const run = (id: string, io: AdapterIO, begin: (session: AgentSession) => Promise<Begun>) =>
    runSession(connect(id, io), { ...partsOf(id, io), begin })

  return {
    name: 'Parley',
    ...(place !== undefined && { place }),
    isAuthError: isParleyAuthError,
    ...(onboarding && { onboarding: async () => onboarding }),
    // Without a title: the server finds one, and would keep ours instead.
    createConversation: async (io) => {
      const wanted = options.agent ? { agent: options.agent } : {}
      return (await ask(io, (sessions) => sessions.createSessionWithRequest(wanted))).session_id
    },
    hasPlanning: true,
    send: ({ text, context, conversationID = '', messages, attachments, mode, planDecision, regenerate, edit }, io) =>
      run(conversationID, io, async (session) => {
        const { client_message_id, localID, messageID = '' } = messages.at(-1) ?? {}
        // One that the server has named was sent before: asking it again is a message of its own.
        const own = localID === messageID ? client_message_id : undefined
        const sending = {
          signal: io.signal,
          ...(own && { client_message_id: own }),
          ...(mode && { mode }),
          ...(planDecision && { plan_decision: planDecision }),
          ...(options.model && { model: options.model }),
        }
        const prompt = contextPrompt(text, context)
        await untilIdle(session, io.signal)
        const isThere = (id: string) => session.getState().turns.some(({ turn_id }) => turn_id === id)
        // What the server never got has no place there: it is sent as if for the first time.
        if (edit && isThere(edit)) return session.edit(edit, prompt, sending)
        if (regenerate && isThere(messageID)) return session.regenerate(messageID, sending)
        return session.send(withAttachments(prompt, attachments), sending)
      }),
    selectVersion: async ({ conversationID, versionID }, io) =>
      void (await ask(io, (sessions) => sessions.switchBranch(conversationID, versionID))),
    async stop({ conversationID }, io) {
      using session = client(io).sessions.connect(conversationID, { limit: 1 })
      await session.stop()
    },
    answerQuestion: ({ questionID, conversationID, selections, custom }, io) =>
      run(conversationID, io, (session) =>
        session.answer({ tool_call_id: questionID, selections, custom }, { signal: io.signal }),
      ),
    answerConfirmation: ({ confirmationId, conversationID, approved, editedArguments }, io) =>
      run(conversationID, io, async (session) => {
        const asked = session
          .getState()
          .questions.find(({ arguments: { confirmation } }) => (confirmation as { id?: string })?.id === confirmationId)
        if (!asked) throw await findDecision(notWaiting(), { confirmationId, approved }, client(io).api)
        const answer = { tool_call_id: asked.tool_call_id, selections: { 0: [approved ? 0 : 1] }, custom: {} }
        const edited = editedArguments ? { edited_arguments: editedArguments } : {}
        return session.answer({ ...answer, ...edited }, { signal: io.signal }).catch(async (error: unknown) => {
          throw await findDecision(parleyError(error), { confirmationId, approved }, client(io).api)
        })
      }),
    // What holds comes back as an event, in the order of all that was given.
    feedback: async ({ conversationID, messageID, value, comment }, io) =>
      void (await ask(io, (sessions) => sessions.setFeedback(conversationID, messageID, { value, comment }))),
    commentLength: MAX_COMMENT,
    upload: (file) => readAttachment(file),
    download: (path, io) =>
      io.authorised(async () => {
        const response = await client(io).api.raw(path, { signal: io.signal })
        if (!response.ok) throw parleyError({ status: response.status })
        return response.blob()
      }),
    openSource: ({ conversationID, sourceID }, io) =>
      ask(io, (sessions) => sessions.source(conversationID, Number(sourceID), { signal: io.signal })),
    history: parleyHistory(connection, views),
    follow: (conversationID, io) =>
      followChat(connect(conversationID, io), {
        ...partsOf(conversationID, io),
        extras: views.extrasOf(conversationID),
        versions: (signal) => ask(io, (sessions) => sessions.checkpoints(conversationID, { signal })),
        ...(options.suggestedQuestions !== false && { suggestions: suggestionsOf(conversationID, io) }),
      }),
  }
}
