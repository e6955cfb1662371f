import { type AgentSession, ParleyClient, type TokenGetter } from '@parley/client'
import { emptyProjection, type Task, type TurnProjection } from '@parley/protocol'
import type { OnboardingInfo } from '../../model/application-context.ts'
import type { AdapterIO, ChatAdapter } from '../../model/chat-adapter.ts'
import { chatKitError } from '../../model/chat-kit-error.ts'
import { contextPrompt } from '../context-prompt.ts'
import { readAttachment, withAttachments } from './attachments.ts'
import type { AskSuggestions } from './ask-suggestions.ts'
import { explainFailure } from './explain-failure.ts'
import { isParleyAuthError, parleyError } from './parley-error.ts'
import { followChat } from './follow-chat.ts'
import { type Begun, runSession } from './run-session.ts'
import { SessionExtras } from './session-extras.ts'
import { createTurnMapper, type TurnMapper } from './turn-messages.ts'
import { untilIdle } from './until-idle.ts'

export type ParleyOptions = {
  onboarding?: OnboardingInfo
  model?: string
  /** Offers questions to go on with after each answer. Default true, where the server makes them. */
  suggestedQuestions?: boolean
} & (
  | {
      /** Origin of the server; the kit's token is used for it. */
      baseUrl: string
    }
  | { client: ParleyClient }
)

/** The project's own protocol: turns over Socket.IO and REST. */
export function parley(options: ParleyOptions): ChatAdapter {
  const { onboarding } = options
  /** Where the token is read when a connection is made; never the token itself. */
  let tokens: Pick<AdapterIO, 'token' | 'renewToken'> = { token: () => '', renewToken: async (stale) => stale }
  let locale: string | null = null
  const given = 'client' in options ? options.client : null
  const place = 'baseUrl' in options ? options.baseUrl : undefined
  let own: ParleyClient | null = null
  const client = (io: AdapterIO): ParleyClient => {
    tokens = io
    locale = io.locale
    if (given) return given
    // One that was refused is the kit's to renew, by its own rules; one that ends soon is renewed unseen.
    const token: TokenGetter = (need) =>
      need?.because === 'expiring' ? tokens.renewToken(need.insteadOf) : tokens.token()
    return (own ??= new ParleyClient({ baseUrl: place ?? '', token, language: () => locale }))
  }
  // One for all: the client hands out the same turns to everybody, so messages stay the same objects too.
  const mappers = new Map<string, TurnMapper>()
  const mapper = ({ locale }: AdapterIO): TurnMapper => {
    const map = mappers.get(locale) ?? createTurnMapper(locale)
    mappers.set(locale, map)
    return map
  }
  /** Task lists as they were when their session was opened; events tell only what changes. */
  const storedTasks = new Map<string, readonly Task[]>()
  const extrasBySession = new Map<string, SessionExtras>()
  const extrasOf = (id: string): SessionExtras => {
    const extras = extrasBySession.get(id) ?? new SessionExtras()
    extrasBySession.set(id, extras)
    return extras
  }
  const mapWith = (id: string, io: AdapterIO) => (turns: readonly TurnProjection[], tasks: readonly Task[]) =>
    extrasOf(id).apply(mapper(io)(turns, tasks === emptyProjection.tasks ? (storedTasks.get(id) ?? tasks) : tasks))
  let hasWorked = false
  const explain = (error: unknown, io: AdapterIO) =>
    given
      ? parleyError(error)
      : explainFailure(parleyError(error), {
          server: place ?? '',
          hasToken: io.token() !== '',
          hasWorked,
          locale: io.locale,
        })
  const ask = async <Answer>(
    io: AdapterIO,
    call: (sessions: ParleyClient['sessions']) => Promise<Answer>,
  ): Promise<Answer> => {
    try {
      const answer = await io.authorised(() =>
        call(client(io).sessions).catch((error: unknown) => {
          throw parleyError(error)
        }),
      )
      hasWorked = true
      return answer
    } catch (error) {
      throw await explain(error, io)
    }
  }

  /** Asked once; a server that could not be asked is asked again with the next answer. */
  let hasSuggestions: Promise<boolean> | null = null
  const suggestionsOf =
    (id: string, io: AdapterIO): AskSuggestions =>
    async (signal) => {
      hasSuggestions ??= io
        .authorised(() => client(io).api.get<{ suggestionsEnabled?: boolean }>('/api/config'))
        .then(({ suggestionsEnabled }) => suggestionsEnabled === true)
      const isEnabled = await hasSuggestions.catch(() => {
        hasSuggestions = null
        return false
      })
      return isEnabled ? ask(io, (sessions) => sessions.getSuggestions(id, { signal })) : null
    }

  /** A client that was given to us renews its own token. */
  const reopen = async (id: string, io: AdapterIO) => {
    if (given) return
    await ask(io, async (sessions) => {
      using session = sessions.connect(id)
      await session.ready({ signal: io.signal })
    })
  }
  const partsOf = (id: string, io: AdapterIO) => ({ io, map: mapWith(id, io), reopen: () => reopen(id, io) })
  const run = (conversationID: string, io: AdapterIO, begin: (session: AgentSession) => Promise<Begun>) =>
    runSession(client(io).sessions.connect(conversationID), { ...partsOf(conversationID, io), begin })

  return {
    name: 'Parley',
    ...(place !== undefined && { place }),
    isAuthError: isParleyAuthError,
    ...(onboarding && { onboarding: async () => onboarding }),
    createConversation: async (io, title = '') =>
      (await ask(io, (sessions) => sessions.createSession(title))).session_id,
    hasFixedHistory: true,
    hasPlanning: true,
    send: ({ text, context, conversationID = '', messages, attachments, mode, planDecision }, io) =>
      run(conversationID, io, async (session) => {
        const { client_message_id } = messages.at(-1) ?? {}
        const message = withAttachments(contextPrompt(text, context), attachments)
        await untilIdle(session, io.signal)
        return session.send(message, {
          signal: io.signal,
          ...(client_message_id && { client_message_id }),
          ...(mode && { mode }),
          ...(planDecision && { plan_decision: planDecision }),
          ...(options.model && { model: options.model }),
        })
      }),
    async stop({ conversationID }, io) {
      using session = client(io).sessions.connect(conversationID, { limit: 1 })
      await session.stop()
    },
    answerQuestion: ({ questionID, conversationID, selections, custom }, io) =>
      run(conversationID, io, (session) =>
        session.answer({ tool_call_id: questionID, selections, custom }, { signal: io.signal }),
      ),
    answerConfirmation: ({ confirmationId, conversationID, approved, editedArguments }, io) =>
      run(conversationID, io, (session) => {
        const asked = session
          .getState()
          .questions.find(({ arguments: { confirmation } }) => (confirmation as { id?: string })?.id === confirmationId)
        if (!asked)
          throw chatKitError('not_found', 'This confirmation no longer waits for an answer.', { isNotWaiting: true })
        const answer = { tool_call_id: asked.tool_call_id, selections: { 0: [approved ? 0 : 1] }, custom: {} }
        const edited = editedArguments ? { edited_arguments: editedArguments } : {}
        return session.answer({ ...answer, ...edited }, { signal: io.signal })
      }),
    async feedback({ conversationID, messageID, value, comment }, io) {
      await ask(io, (sessions) => sessions.setFeedback(conversationID, messageID, { value, comment }))
      extrasOf(conversationID).rate(messageID, value)
    },
    upload: (file) => readAttachment(file),
    download: (path, io) =>
      io.authorised(async () => {
        const response = await client(io).api.raw(path, { signal: io.signal })
        if (!response.ok) throw parleyError({ status: response.status })
        return response.blob()
      }),
    history: {
      async list(io, page, size) {
        const query = { limit: size, offset: (page - 1) * size }
        const { items } = await ask(io, (sessions) => sessions.listSessionsPaginated(query))
        return items.map(({ id, intent, created_at, updated_at }) => ({
          conversationID: id,
          title: intent,
          created_at: Date.parse(created_at),
          updated_at: Date.parse(updated_at),
        }))
      },
      async load(id, io) {
        const turns = await ask(io, (sessions) => sessions.getSessionTurns(id))
        // An older server may not tell them; the conversation is complete without.
        const [tasks, feedback] = await Promise.all([
          ask(io, (sessions) => sessions.getSessionTasks(id)).catch(() => []),
          ask(io, (sessions) => sessions.getFeedback(id)).catch(() => []),
        ])
        storedTasks.set(id, tasks)
        extrasOf(id).setFeedback(feedback)
        return mapWith(id, io)(turns, tasks)
      },
      remove: async (id, io) => void (await ask(io, (sessions) => sessions.deleteSession(id))),
      rename: async (id, title, io) =>
        void (await ask(io, (sessions) => sessions.updateSession(id, { intent: title }))),
    },
    follow: (conversationID, io) =>
      followChat(client(io).sessions.connect(conversationID), {
        ...partsOf(conversationID, io),
        extras: extrasOf(conversationID),
        ...(options.suggestedQuestions !== false && { suggestions: suggestionsOf(conversationID, io) }),
      }),
  }
}
