import { AgentError } from '@parley/protocol'
import type { FastifyReply } from 'fastify'
import { openStream } from '../../http/event-stream/write-stream.ts'
import { expelled } from '../../http/failure.ts'
import { nameInHeader } from '../../http/ignored-fields.ts'
import { Patience } from '../../http/patience.ts'
import { callerOf } from '../../http/signed-in.ts'
import { type Exchange, readingOf } from './agent-sse-parts.ts'
import { agentFailure } from './failures.ts'
import { readRun, type RunOptions, wholeRun } from './read-run.ts'
import { expired, resumeFrom } from './resume.ts'
import type { Started } from './send-message.ts'
import { writeEvents } from './write-events.ts'

/** [S3] */
const HEADERS = { 'cache-control': 'no-cache, no-transform', connection: 'keep-alive' }
/** Nobody's patience ends by itself: runs have a limit of their own. */
const FOREVER_MS = 2 ** 31 - 1

/** [S10] A run as an event stream, from its beginning or from where the client left it; 204 when it had all of it. */
export async function showRun(
  exchange: Exchange,
  started: Started,
  lastEventId: string | undefined,
): Promise<FastifyReply> {
  const { reply, parts } = exchange
  const { principal, source, encoding } = readingOf(exchange)
  const { session_id, run_id } = started
  if (started.isPruned) throw expired()
  const asked = { sessions: parts.sessions, session_id, lastEventId: lastEventId ?? '' }
  const resumed = lastEventId === undefined ? undefined : await resumeFrom(principal, asked)
  if (resumed && resumed.event.run_id !== run_id)
    throw new AgentError('invalid_payload', 'Last-Event-ID: That event belongs to another message.')
  const options = { ...started, ...encoding, after: resumed?.after ?? 0 }
  if (resumed?.isEnd) {
    const rest = await wholeRun(source, { ...options, signal: parts.door.closing })
    if (rest?.length === 0) return reply.code(204).send()
  }
  return writeRun(exchange, options, false)
}

/** The rest is one long answer. `isObserving`: also of the runs after this one. */
export async function writeRun(
  exchange: Exchange,
  run: Omit<RunOptions, 'signal'> & { head: number },
  isObserving: boolean,
): Promise<FastifyReply> {
  const { request, reply, parts } = exchange
  const { reader, source } = readingOf(exchange)
  const { heartbeatInterval: heartbeatMs } = parts.options
  nameInHeader(request, reply, parts.logger)
  const response = openStream(reply, HEADERS)
  response.flushHeaders()
  const { credential } = callerOf(request)
  using patience = new Patience({ response, timeoutMs: FOREVER_MS, door: parts.door, credential })
  const signal = patience.gone
  const lastWord = () => (patience.isExpelled ? agentFailure('unauthorized', expelled(reader).message) : null)
  const { sessionId, head } = run
  const open = (left: AbortSignal) => readRun(source, { ...run, signal: AbortSignal.any([signal, left]) })
  await writeEvents(open, {
    ...{ response, sessionId, head, signal, heartbeatMs, reader, isObserving, lastWord },
    logger: parts.logger,
  })
  return reply
}
