import { recordedEventQuerySchema, recordedEventsSchema, runPageSchema, runQuerySchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import type { ServerConfig } from '../config/options.ts'
import { pricesOf } from '../config/price-options.ts'
import type { SessionReader } from '../feature.ts'
import { readQuery } from '../http/ignored-fields.ts'
import { readerOf } from '../http/reader.ts'
import { needs, principalOf } from '../http/signed-in.ts'
import type { SessionMasks } from '../secrets/session-masks.ts'
import type { Engine } from '../store/engine.ts'
import { Rewording } from '../words/rewording.ts'
import { recordedEvents } from './recorded-events.ts'
import { listRuns } from './run-list.ts'

type OneSession = { Params: { session_id: string } }
type RunRoutesOptions = {
  engine: Engine
  config: Pick<ServerConfig, 'models' | 'prices' | 'currency'>
  masks: SessionMasks
  sessions: SessionReader
}

const ONE = '/api/sessions/:session_id'

/** [W11.8] What happened in a session, for the account: the record names its servers, and what models were given. */
export function runRoutes(app: FastifyInstance, { engine, config, masks, sessions }: RunRoutesOptions): void {
  const prices = pricesOf(config)
  const listing = needs('account', {
    says: ['Runs of a session, the newest first', '会话的运行，最新的在前'],
    query: runQuerySchema,
    answer: runPageSchema,
    bySubject: true,
  })
  app.get<OneSession>(`${ONE}/runs`, listing, async (request) => {
    const { session_id } = request.params
    await sessions.get(principalOf(request), session_id)
    const page = readQuery(request, runQuerySchema)
    return engine.read(() => listRuns(session_id, { ...page, prices, currency: config.currency }))
  })

  const reading = needs('account', {
    says: ['What is on record of a session or a run, event by event', '会话或运行的逐条记录'],
    query: recordedEventQuerySchema,
    answer: recordedEventsSchema,
    bySubject: true,
  })
  app.get<OneSession>(`${ONE}/events`, reading, async (request) => {
    const { session_id } = request.params
    await sessions.get(principalOf(request), session_id)
    const { hidden, ...page } = readQuery(request, recordedEventQuerySchema)
    // Names of tools stay as they were stored: which there are now is another question.
    const rewording = new Rewording(readerOf(request), () => undefined)
    const mask = hidden === '0' ? (text: string) => text : await masks.of(session_id)
    const showing = { engine, rewording, mask, isFull: hidden === 'full' }
    return recordedEvents(session_id, { ...page, isHiddenShown: hidden !== '0' }, showing)
  })
}
