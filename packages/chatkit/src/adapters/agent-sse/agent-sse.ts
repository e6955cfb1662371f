import type { AdapterIO, ChatAdapter } from '../../model/chat-adapter.ts'
import { isChatKitError } from '../../model/chat-kit-error.ts'
import type { ChatOp } from '../../model/chat-op.ts'
import { newID } from '../../model/new-id.ts'
import { streamSteps } from '../../stream/event-core.ts'
import { at } from '../base-url.ts'
import { contextPrompt } from '../context-prompt.ts'
import { callJson, openStream } from '../open-stream.ts'
import type { ToolParsers } from '../tool-ops.ts'
import { agentSseCore } from './agent-sse-core.ts'
import { agentSseError } from './agent-sse-error.ts'

export type AgentSseOptions = {
  /** Up to and without `/api/agent`. */
  baseUrl: string
  headers?: Record<string, string>
  skipKnowledge?: boolean
  toolParsers?: ToolParsers
  /** First pause before the stream is resumed; doubles each time. Default 500. */
  retryMs?: number
}

const MAX_RESUMES = 5

/** Agent events over SSE. A lost connection is resumed where it broke. */
export function agentSse(options: AgentSseOptions): ChatAdapter {
  const { baseUrl, headers, skipKnowledge } = options
  return {
    name: 'Agent',
    isAuthError: (status, error) => status === 401 || agentSseError(status, error)?.platformCode === 'UNAUTHORIZED',
    // The server names a session in the first event.
    createConversation: async () => '',
    send: ({ text, context, conversationID }, io) =>
      run(options, io, {
        message: contextPrompt(text, context),
        ...(conversationID && { sessionId: conversationID }),
        ...(skipKnowledge && { skipKnowledge }),
      }),
    answerConfirmation: ({ confirmationId, conversationID, approved }, io) =>
      run(options, io, { message: '', sessionId: conversationID, confirm: { confirmationId, approved } }),
    async stop({ conversationID, handle }, io) {
      const body = { sessionId: conversationID, ...(typeof handle === 'string' && { messageId: handle }) }
      await callJson(io, { url: at(baseUrl, '/api/agent/chat/cancel'), body, headers, errorOf: agentSseError })
    },
  }
}

async function* run(options: AgentSseOptions, io: AdapterIO, message: object): AsyncGenerator<ChatOp> {
  const { baseUrl, headers, toolParsers, retryMs = 500 } = options
  // One id for all attempts: the server attaches to the run it names and never starts another.
  const body: Record<string, unknown> = { ...message, messageId: newID('msg') }
  const core = agentSseCore(io.locale, toolParsers)
  let state = core.initial
  let lastEventID = ''
  for (let resumes = 0; ; resumes++) {
    const seen = lastEventID ? { ...headers, 'last-event-id': lastEventID } : headers
    try {
      const url = at(baseUrl, '/api/agent/chat/stream')
      const response = await openStream(io, { url, body, headers: seen, errorOf: agentSseError })
      // The last event had already been delivered: there is nothing more to come.
      if (response.status === 204) return yield { op: 'end' }
      if (resumes > 0) yield { op: 'connection', state: 'connected' }
      for await (const { state: next, ops, id } of streamSteps(core, response, io, state)) {
        const [first] = ops
        if (first?.op === 'error' && first.error.code === 'network') throw first.error
        state = next
        if (id && id !== lastEventID) resumes = 0
        lastEventID = id || lastEventID
        for (const op of ops) {
          if (op.op === 'conversation') body['sessionId'] = op.id
          yield op
        }
        if (ops.some(({ op }) => op === 'end' || op === 'error')) return
      }
    } catch (error) {
      const isLost = isChatKitError(error) && error.code === 'network' && lastEventID !== ''
      if (!isLost || resumes >= MAX_RESUMES) throw error
      yield { op: 'connection', state: 'reconnecting' }
      await io.wait(retryMs * 2 ** resumes)
    }
  }
}
