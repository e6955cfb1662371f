import type { Model, ModelFailure } from '../ports.ts'
import { listModels, type ModelServer } from './openai-compatible/list-models.ts'

/** One short request: whether the model accepts it, or, without a model, whether the server lists what it has. */
export async function tryEndpoint(
  { server, model }: { server: ModelServer; model: Model | undefined },
  signal: AbortSignal,
): Promise<ModelFailure | null> {
  if (!model) {
    const listed = await listModels(server, signal)
    return Array.isArray(listed) ? null : listed
  }
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'ping' }] }]
  const events = model.stream({ system: '', messages, tools: [], maxOutputTokens: 1, signal })
  for await (const event of events) {
    if (event.type === 'failed') return event.failure
    return null
  }
  return { kind: 'network', message: 'There was no answer in time.', incomplete: false }
}
