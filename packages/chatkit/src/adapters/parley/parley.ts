import { type AgentSession, BladeClient } from '@parley/client'
import type { ChatEndPayload } from '@parley/protocol'
import type { OnboardingInfo } from '../../model/application-context.ts'
import type { AdapterIO, ChatAdapter } from '../../model/chat-adapter.ts'
import { chatKitError } from '../../model/chat-kit-error.ts'
import type { ChatOp } from '../../model/chat-op.ts'
import { contextPrompt } from '../context-prompt.ts'
import { followSession } from './follow-session.ts'
import { isParleyAuthError, parleyError } from './parley-error.ts'
import { createTurnMapper, type TurnMapper } from './turn-messages.ts'

export type ParleyOptions = {
  onboarding?: OnboardingInfo
  model?: string
} & (
  | {
      /** Origin of the server; the kit's token is used for it. */
      baseUrl: string
    }
  | { client: BladeClient }
)

/** The project's own protocol: turns over Socket.IO and REST. */
export function parley(options: ParleyOptions): ChatAdapter {
  const { onboarding } = options
  /** Where the token is read when a connection is made; never the token itself. */
  let readToken = () => ''
  const given = 'client' in options ? options.client : null
  let own: BladeClient | null = null
  const client = (io: AdapterIO): BladeClient => {
    readToken = io.token
    if (given) return given
    return (own ??= new BladeClient({ baseUrl: 'baseUrl' in options ? options.baseUrl : '', token: () => readToken() }))
  }
  // One for all: the client hands out the same turns to everybody, so messages stay the same objects too.
  const mappers = new Map<string, TurnMapper>()
  const mapper = ({ locale }: AdapterIO): TurnMapper => {
    const map = mappers.get(locale) ?? createTurnMapper(locale)
    mappers.set(locale, map)
    return map
  }
  const ask = <Answer>(io: AdapterIO, call: (sessions: BladeClient['sessions']) => Promise<Answer>): Promise<Answer> =>
    io.authorised(() =>
      call(client(io).sessions).catch((error: unknown) => {
        throw parleyError(error)
      }),
    )

  const run = (conversationID: string, io: AdapterIO, begin: (session: AgentSession) => Promise<Begun>) =>
    runSession(client(io).sessions.connect(conversationID), { io, begin, map: mapper(io) })

  return {
    name: 'Parley',
    isAuthError: isParleyAuthError,
    ...(onboarding && { onboarding: async () => onboarding }),
    createConversation: async (io, title = '') =>
      (await ask(io, (sessions) => sessions.createSession(title))).session_id,
    send: ({ text, context, conversationID = '' }, io) =>
      run(conversationID, io, (session) =>
        session.send(contextPrompt(text, context), {
          signal: io.signal,
          ...(options.model && { model: options.model }),
        }),
      ),
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
        if (!asked) throw chatKitError('not_found', 'This confirmation no longer waits for an answer.')
        const answer = { tool_call_id: asked.tool_call_id, selections: { 0: [approved ? 0 : 1] }, custom: {} }
        const edited = editedArguments ? { edited_arguments: editedArguments } : {}
        return session.answer({ ...answer, ...edited }, { signal: io.signal })
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
      load: async (id, io) => mapper(io)(await ask(io, (sessions) => sessions.getSessionTurns(id))),
      remove: async (id, io) => void (await ask(io, (sessions) => sessions.deleteSession(id))),
      rename: async (id, title, io) =>
        void (await ask(io, (sessions) => sessions.updateSession(id, { intent: title }))),
    },
    async *follow(conversationID, io) {
      using session = client(io).sessions.connect(conversationID)
      const map = mapper(io)
      for await (const { turns, isReady } of followSession(session, io.signal))
        if (isReady) yield { op: 'messages', messages: map(turns) }
    },
  }
}

type Begun = { run_id: string }
type RunParts = { io: AdapterIO; begin: (session: AgentSession) => Promise<Begun>; map: TurnMapper }

/** One run: everything the session shows until the run's end. */
async function* runSession(session: AgentSession, { io, begin, map }: RunParts): AsyncGenerator<ChatOp> {
  using followed = session
  const ended = new Map<string, ChatEndPayload>()
  followed.on('chat:end', (payload) => ended.set(payload.run_id ?? '', payload))
  try {
    await followed.ready({ signal: io.signal })
    io.alive()
    const { run_id } = await begin(followed)
    for await (const { turns, connection } of followSession(followed, io.signal)) {
      io.alive()
      yield { op: 'connection', state: connection === 'connected' ? 'connected' : 'reconnecting' }
      const own = turns.filter((turn) => turn.run_id === run_id)
      // Before the first turn of the run the list would lack the question that is already shown.
      if (own.length > 0) yield { op: 'messages', messages: map(turns) }
      for (const turn of own) yield* bridgeOps(turn)
      const end = ended.get(run_id)
      if (end) return yield endOp(end)
    }
  } catch (error) {
    throw parleyError(error)
  }
}

function* bridgeOps({
  blocks,
}: {
  blocks: ReadonlyArray<{ type: string; content?: unknown; tool_call_id?: string | null }>
}) {
  for (const [index, { type, content, tool_call_id }] of blocks.entries()) {
    if (type !== 'tool_bridge') continue
    const { action, payload } = content as { action: string; payload: unknown }
    yield { op: 'bridge', action, payload, id: `${tool_call_id ?? ''}:${index}` } satisfies ChatOp
  }
}

function endOp({ status, error }: ChatEndPayload): ChatOp {
  if (status === 'failed') return { op: 'error', error: parleyError(error ?? { code: 'internal_error' }) }
  return { op: 'end', status: status === 'interrupted' ? 'stopped' : 'completed' }
}
