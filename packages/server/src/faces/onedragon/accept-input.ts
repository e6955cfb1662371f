import { isAgentError, type Session } from '@parley/protocol'
import { chatSendSchema } from '@parley/protocol/schemas'
import { mayDo, type Principal } from '../../auth/principal.ts'
import type { FeedSource } from '../../feed/feed.ts'
import type { ModelConfigs } from '../../model-configs/model-configs.ts'
import type { Accepted, Sessions } from '../../sessions/service.ts'
import { readStoredModelId, storedModelId } from '../../store/stored-model-id.ts'
import type { ModelList } from '../face.ts'
import { Refusal } from './refusal.ts'
import { INTERRUPTED } from './result-text.ts'
import type { StreamRequest } from './stream-request.ts'
import { sendAfterWindDown } from './wind-down.ts'

export type InputOptions = {
  principal: Principal
  sessions: Sessions
  modelConfigs: Pick<ModelConfigs, 'find'>
  models: Pick<ModelList, 'default'>
  source: FeedSource
  /** [O9] After so many model calls, one more without tools. */
  maxTurns: number
  /** Whoever asks has left. */
  signal: AbortSignal
}

/** [O2] The checks in their order; an input that fails one leaves no trace. */
export async function acceptInput(asked: StreamRequest, options: InputOptions): Promise<Accepted> {
  const model = await chosenModel(asked, options)
  const { session_id: given } = asked
  const { principal, sessions, models } = options
  if (given != null) {
    const session = await demandSession(given, options)
    // A configuration is chosen for one input: without one, the next has the server's model again.
    const kept = readStoredModelId(session.model ?? '') ? models.default : null
    return send({ session_id: given, model: model ?? kept, message: asked.user_input }, options)
  }
  const { id: session_id } = await sessions.create(principal, {})
  try {
    return await send({ session_id, model, message: asked.user_input }, options)
  } catch (error) {
    await sessions.delete(principal, session_id)
    throw error
  }
}

/** Of a stored configuration; `null`: the session's, or the server's default. Visitors have none ([O14]). */
async function chosenModel(asked: StreamRequest, { principal, modelConfigs }: InputOptions): Promise<string | null> {
  const { model_config_id: config_id, model_id } = asked
  if (config_id == null || model_id == null) return null
  const config = mayDo(principal, 'account') ? await modelConfigs.find(config_id) : undefined
  if (!config) throw new Refusal(404, '配置不存在')
  const { name, is_active, models } = config
  if (!is_active) throw new Refusal(400, `模型配置 '${name}' 已禁用`)
  if (models.some((model) => model.model_id === model_id)) return storedModelId({ config_id, model_id })
  const known = models.map((model) => `'${model.model_id}'`).join(', ')
  throw new Refusal(400, `模型 ID '${model_id}' 不在配置 '${name}' 中。可用模型: [${known}]`)
}

async function demandSession(id: string, { principal, sessions }: InputOptions): Promise<Session> {
  const notFound = new Refusal(404, `Session not found: ${id}`)
  // No id has one, and PostgreSQL refuses to even look.
  if (id.includes('\0')) throw notFound
  try {
    return await sessions.get(principal, id)
  } catch (error) {
    throw isAgentError(error, 'session_not_found') ? notFound : error
  }
}

type Input = { session_id: string; model: string | null; message: string }

async function send(input: Input, options: InputOptions): Promise<Accepted> {
  const { principal, sessions, source, signal, maxTurns } = options
  const { session_id } = input
  const command = chatSendSchema.parse(input)
  try {
    return await sendAfterWindDown({
      session_id,
      source,
      signal,
      send: () => sessions.send(principal, command, { ...TERMS, max_turns: maxTurns }),
      isEnding: (run_id) => sessions.isEnding(principal, session_id, run_id),
    })
  } catch (error) {
    if (isAgentError(error, 'session_busy')) throw new Refusal(409, `Session is busy: ${session_id}`)
    if (isAgentError(error, 'session_not_found')) throw new Refusal(404, `Session not found: ${session_id}`)
    throw error
  }
}

const TERMS = { closes: true, asks: false, interrupted: INTERRUPTED }
