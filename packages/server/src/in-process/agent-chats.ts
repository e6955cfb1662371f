import { AgentError } from '@parley/protocol'
import type { AgentEvent } from '@parley/protocol/agent-sse'
import type { Principal } from '../auth/principal.ts'
import { agentEvents } from '../faces/agent-sse/encoding.ts'
import { chatRequestSchema, demandMessage } from '../faces/agent-sse/decode-request.ts'
import { isTerminal } from '../faces/agent-sse/events.ts'
import { sendMessage, type Started } from '../faces/agent-sse/send-message.ts'
import { feed, type FeedSource } from '../feed/feed.ts'
import type { Sessions } from '../sessions/service.ts'

export type ChatTerms = {
  /** Id of the model that answers. */
  model: string
  maxIterations: number
}

/** Messages in the agent SSE protocol, without its wire: the same requests, the same events. */
export type AgentChats = {
  /** Fields as in the body of a request. Throws where it is not accepted. */
  send: (request: { message: string } & Record<string, unknown>, terms: ChatTerms) => Promise<Started>
  /** Until the terminal one. */
  events: (run: Started, maxIterations: number) => AsyncGenerator<AgentEvent>
  stop: (run: Started) => Promise<boolean>
}

/** A program that wants less has a signal. */
const MAX_DURATION_MS = 24 * 60 * 60_000

type ChatsOptions = { sessions: Sessions; principal: Principal; source: FeedSource; language: 'zh' | 'en' }

export function agentChats({ sessions, principal, source, language }: ChatsOptions): AgentChats {
  return {
    send: async (request, { model, maxIterations }) =>
      sendMessage(principal, decode(request), {
        ...{ sessions: asking(sessions, model), maxIterations },
        maxDuration: MAX_DURATION_MS,
      }),
    async *events({ session_id, sessionId, run_id, since }, maxIterations) {
      const stop = new AbortController()
      const encoding = agentEvents(source.journal, { sessionId, after: 0, language, maxIterations })
      const start = { runAt: since, run_id }
      try {
        for await (const { shown } of feed(source, { session_id, start, encoding, signal: stop.signal }))
          for (const event of shown) {
            if (event === 'deleted' || event === 'lost') throw new Error('The events of this run are gone.')
            if ('over' in event) return
            yield event
            if (isTerminal(event)) return
          }
      } finally {
        stop.abort()
      }
    },
    stop: ({ session_id, run_id }) => sessions.stop(principal, session_id, run_id),
  }
}

function decode(request: unknown) {
  const decoded = chatRequestSchema.safeParse(request)
  if (decoded.success) demandMessage(decoded.data)
  else
    throw new AgentError(
      'invalid_payload',
      decoded.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '),
    )
  return decoded.data
}

/** Whatever is sent names the model. */
function asking(sessions: Sessions, model: string): Sessions {
  return { ...sessions, send: (principal, command, terms) => sessions.send(principal, { ...command, model }, terms) }
}
