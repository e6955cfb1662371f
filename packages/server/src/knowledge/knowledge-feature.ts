import { AgentError } from '@parley/protocol'
import { sourcePassageSchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import type { Feature, SessionReader, World } from '../feature.ts'
import { needs, principalOf } from '../http/signed-in.ts'
import type { Engine } from '../store/engine.ts'
import { keepDemoDocuments } from './demo-documents.ts'
import { Knowledge } from './knowledge.ts'
import { knowledgeRoutes } from './knowledge-routes.ts'
import { offeredSearch } from './offered-tool.ts'
import { DocumentReader } from './reading/document-reader.ts'
import { recallKnowledge } from './recall-knowledge.ts'
import { readSource } from './sources.ts'
import { sweepVersions } from './versions.ts'

const SWEEP_MS = 10 * 60 * 1_000

export type KnowledgeFeature = Feature &
  Required<Pick<Feature, 'recall' | 'tables' | 'close'>> & { knowledge: Knowledge }

/** Answers from documents: what is in them, found for a message, and shown where it stands. */
export function knowledgeFeature(world: World, isDemo: boolean): KnowledgeFeature {
  const { engine, clock, ids, logger, embedder } = world
  const reader = new DocumentReader()
  const knowledge = new Knowledge({ engine, embedder, clock, ids, reader })
  const orWarn = (what: string) => (error: unknown) => logger.warn({ err: error }, what)
  const opened = keepDemoDocuments(engine, knowledge, isDemo).catch(orWarn('the demo documents could not be kept'))
  const sweep = () => void sweepVersions(engine).catch(orWarn('old passages could not be removed'))
  sweep()
  const sweeping = engine.timers.every(SWEEP_MS, sweep)
  const recall = recallKnowledge(world)
  return {
    name: 'knowledge',
    knowledge,
    tools: offeredSearch(world),
    recall: (request) => opened.then(() => recall(request)),
    routes: (scope, sessions) => {
      knowledgeRoutes(scope, '/api/knowledge', knowledge)
      sourceRoute(scope, engine, sessions)
    },
    tables: ['knowledge_sources'],
    dropUser: (user_id) => knowledge.deleteAll(user_id),
    async close() {
      sweeping[Symbol.dispose]()
      await opened
      await reader[Symbol.asyncDispose]()
    },
  }
}

type OneSource = { Params: { session_id: string; ref: string } }

/** Whoever has the session may see what its model was given, and what stands around it. */
function sourceRoute(app: FastifyInstance, engine: Engine, sessions: SessionReader): void {
  const reading = needs('chat', {
    says: ['A passage that an answer cites, in its document', '回答所引用的段落及其上下文'],
    answer: sourcePassageSchema,
    bySubject: true,
  })
  app.get<OneSource>('/api/sessions/:session_id/sources/:ref', reading, async (request) => {
    const { session_id, ref } = request.params
    await sessions.get(principalOf(request), session_id)
    const number = /^[1-9]\d{0,8}$/.test(ref) ? Number(ref) : 0
    const source = await engine.read(() => readSource(session_id, number))
    if (!source)
      throw new AgentError('not_found', `Session ${session_id} has no source ${ref}, or its document is gone.`)
    return source
  })
}
