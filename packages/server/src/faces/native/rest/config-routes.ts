import { AgentError } from '@parley/protocol'
import type { ModelsConfig, ModelTest, ModelTestStep, ServerConfig } from '@parley/protocol/rest'
import { modelsConfigSchema, modelTestSchema, serverConfigSchema, testModelSchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import { mayDo } from '../../../auth/principal.ts'
import { pricesOf } from '../../../config/price-options.ts'
import { readBody } from '../../../http/ignored-fields.ts'
import { readerOf } from '../../../http/reader.ts'
import { needs, principalOf } from '../../../http/signed-in.ts'
import { storedModelId } from '../../../store/stored-model-id.ts'
import { reword } from '../../../words/phrase-book.ts'
import type { FaceParts } from '../../face.ts'

/** Of what was added while the server runs, this much is listed. */
const MOST_ADDED = 200

/** [W11.1], [W12.9] What a client may know about how this server is set up. */
export function configRoutes(
  app: FastifyInstance,
  { models, modelConfigs, config, shownConfig }: Pick<FaceParts, 'models' | 'modelConfigs' | 'config' | 'shownConfig'>,
): void {
  const prices = pricesOf(config)
  const priceOf = (id: string) => {
    const price = prices.get(id)
    if (!price) return {}
    const { input, output, cached = input } = price
    return { price: { input, cached, output, currency: config.currency } }
  }
  const listing = needs('chat', { says: ['Models that can be chosen', '列出可选模型'], answer: modelsConfigSchema })
  app.get('/api/config/models', listing, async (request): Promise<ModelsConfig> => {
    const isVisitor = !mayDo(principalOf(request), 'account')
    const offered = models.models.map(({ id, name, contextWindow, supportsVision, supportsThinking, source }) => ({
      id,
      name,
      context_window: contextWindow,
      supports_vision: supportsVision,
      supports_thinking: supportsThinking,
      ...(!isVisitor && source && { source }),
      ...(!isVisitor && priceOf(id)),
    }))
    // Visitors may not choose what was added.
    return { default: models.default, models: isVisitor ? offered : [...offered, ...(await added())] }
  })

  const testing = needs('owner', {
    says: [
      'Walks the way to a model, step by step, and has it say a few tokens, which costs what they cost',
      '逐步测试模型连接，并让它输出少量 token（会产生费用）',
    ],
    body: testModelSchema,
    answer: modelTestSchema,
  })
  app.post('/api/config/models/test', testing, async (request, reply): Promise<ModelTest> => {
    const target = readBody(request, testModelSchema)
    const { model = null, url, api_key } = target
    if (model === null && url === undefined) throw new AgentError('invalid_payload', 'model: Name a model, or a url.')
    if (url === undefined && api_key !== undefined)
      throw new AgentError('invalid_payload', 'api_key: A key is for a url; models of the list have theirs.')
    await modelConfigs.recordTest(principalOf(request), model ?? new URL(url!).host)
    const stop = new AbortController()
    reply.raw.once('close', () => stop.abort())
    const steps = await models.probe(target, stop.signal)
    if (!steps)
      throw new AgentError(
        'model_not_available',
        `There is no model ${model}; GET /api/config/models lists those that are.`,
        {
          details: { model },
        },
      )
    const { language } = readerOf(request)
    const inWords = ({ detail, ...step }: ModelTestStep) => ({
      ...step,
      detail: detail && (reword(detail, 'failure', language) ?? reword(detail, 'said', language) ?? detail),
    })
    return { ok: steps.every(({ status }) => status !== 'failed'), model, steps: steps.map(inWords) }
  })

  const told = needs('chat', { says: ['What is switched on here', '服务器的功能开关'], answer: serverConfigSchema })
  app.get('/api/config', told, async (): Promise<ServerConfig> => shownConfig)

  async function added(): Promise<ModelsConfig['models']> {
    const { items } = await modelConfigs.list({ is_active: true }, { limit: MOST_ADDED, offset: 0 })
    return items.flatMap(({ id: config_id, models: listed }) =>
      listed.map(({ model_id, support_vision, support_thinking }) => ({
        ...priceOf(storedModelId({ config_id, model_id })),
        id: storedModelId({ config_id, model_id }),
        name: model_id,
        supports_vision: support_vision,
        supports_thinking: support_thinking,
        source: { from: 'added' as const },
      })),
    )
  }
}
