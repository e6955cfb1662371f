import { AgentError } from '@parley/protocol'
import type { Principal } from '../auth/principal.ts'
import { chatRequestSchema, demandMessage } from '../faces/agent-sse/decode-request.ts'
import { readRun } from '../faces/agent-sse/read-run.ts'
import { expired } from '../faces/agent-sse/resume.ts'
import { sendMessage } from '../faces/agent-sse/send-message.ts'
import { withinReach } from '../faces/agent-sse/within-reach.ts'
import type { FeedSource } from '../feed/feed.ts'
import type { Sessions } from '../sessions/service.ts'
import type { Engine } from '../store/engine.ts'
import { askedBefore } from './asked-before.ts'
import type { InProcess } from './in-process.ts'

type ChatsOptions = {
  engine: Engine
  sessions: Sessions
  principal: Principal
  source: FeedSource
  language: 'zh' | 'en'
  closed: AbortSignal
}

/** Messages in the agent SSE protocol, without its wire. */
export function agentChats({
  engine,
  sessions,
  principal,
  source,
  language,
  closed,
}: ChatsOptions): Omit<InProcess, keyof AsyncDisposable | 'knowledge'> {
  return {
    send: async (request, { model, ...limits }) =>
      sendMessage(principal, decode(request), { sessions: asking(sessions, model), ...limits }),
    async *events({ isPruned, ...run }, maxIterations) {
      if (isPruned) throw expired()
      const stop = new AbortController()
      const leave = () => stop.abort()
      closed.addEventListener('abort', leave, { once: true })
      const options = { ...run, after: 0, language, maxIterations, signal: stop.signal }
      try {
        for await (const shown of readRun(source, options))
          for (const event of shown) {
            if (event === 'deleted' || event === 'lost') throw expired()
            if ('over' in event) return
            yield event
          }
      } finally {
        closed.removeEventListener('abort', leave)
        leave()
      }
    },
    stop: ({ session_id, run_id }) => sessions.stop(principal, session_id, run_id),
    asked: (which) => askedBefore(engine, principal.user_id, which),
    hasSession: async (sessionId) =>
      sessionId.startsWith('sess_') || (await sessions.find(principal, { kind: 'sse', id: sessionId })) !== undefined,
  }
}

function decode(request: unknown) {
  const decoded = chatRequestSchema.safeParse(withinReach(request))
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
