import type { Session } from '@parley/protocol'
import type { FastifyReply } from 'fastify'
import { type Exchange, readingOf } from './agent-sse-parts.ts'
import { positionOf } from './event-ids.ts'
import { expired, resumeFrom } from './resume.ts'
import { writeRun } from './show-run.ts'

type Observed = { session: Session; sessionId: string; lastEventId: string | undefined }

/** [S11] All runs of a session, from now on or from where the client left it. */
export async function observe(
  exchange: Exchange,
  { session, sessionId, lastEventId }: Observed,
): Promise<FastifyReply> {
  const { encoding } = readingOf(exchange)
  const begin =
    lastEventId === undefined ? await fromNow(exchange, session) : await fromThen(exchange, session, lastEventId)
  const { id: session_id, last_event_seq: head } = session
  return writeRun(exchange, { ...encoding, ...begin, sessionId, session_id, head }, true)
}

type Beginning = { since: number; run_id: string; after: number }

/** Of a run under way only what comes is told, but it is read from its beginning: events depend on those before them. */
async function fromNow(exchange: Exchange, { id, last_event_seq: head }: Session): Promise<Beginning> {
  const { principal } = readingOf(exchange)
  const active = await exchange.parts.sessions.findRun(principal, id, 'active')
  const after = positionOf(head + 1, 0) - 1
  return active && active.since < head ? { ...active, after } : { since: head, run_id: '', after }
}

async function fromThen(exchange: Exchange, { id }: Session, lastEventId: string): Promise<Beginning> {
  const { principal } = readingOf(exchange)
  const { sessions } = exchange.parts
  const { after, event } = await resumeFrom(principal, { sessions, session_id: id, lastEventId })
  if (!event.run || event.run.isPruned) throw expired()
  return { ...event.run, after }
}
