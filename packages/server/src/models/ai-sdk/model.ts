import type { LanguageModelV4, LanguageModelV4CallOptions, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { AnswerLimits } from '../answer-meter.ts'
import { gathered } from '../gathered.ts'
import type { Model, ModelEvent, ModelRequest } from '../../ports.ts'
import { failureOfError } from './failure-of-error.ts'
import { promptOf, toolsOf } from './prompt.ts'
import { createPartReader } from './stream-events.ts'

export type AiSdkOptions = {
  /** Our id of the model, as events and failures name it. */
  id: string
  /** Loads the provider package at the first call: importing one takes longer than starting the rest of the server. */
  load: () => Promise<LanguageModelV4>
  /** Kept out of every message. */
  secret: string
  limits: AnswerLimits
  newCallId: () => string
  /** How hard to think; the provider's default when absent. */
  reasoning?: 'none' | 'low' | 'medium' | 'high'
  providerOptions?: SharedV4ProviderOptions
  /** Marks the ends of the cacheable prefix, for providers that want to be told. */
  cacheMark?: SharedV4ProviderOptions
}

/** Any model of the AI SDK's provider interface (specification v4), under our port. */
export function createAiSdkModel(options: AiSdkOptions): Model {
  let loading: Promise<LanguageModelV4> | undefined
  const load = () => (loading ??= options.load())
  return { stream: (request) => gathered(streamCall({ ...options, load }, request), request) }
}

async function* streamCall(options: AiSdkOptions, request: ModelRequest): AsyncGenerator<ModelEvent> {
  const { id, load, secret, limits, newCallId } = options
  const reader = createPartReader({ model: id, secret, limits, newCallId })
  try {
    const model = await load()
    const { stream } = await model.doStream(callOptions(options, request))
    yield* readParts(stream, reader, request.signal)
  } catch (error) {
    // Only `load` and `doStream` get here: nothing was accepted yet.
    if (!request.signal.aborted)
      yield { type: 'failed', failure: failureOfError(error, { model: id, secret, incomplete: false }), usage: null }
  }
}

async function* readParts(
  stream: Awaited<ReturnType<LanguageModelV4['doStream']>>['stream'],
  reader: ReturnType<typeof createPartReader>,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  try {
    // Leaving this loop early cancels the stream, which closes the connection.
    for await (const part of stream)
      for (const event of reader.read(part)) {
        yield event
        if (event.type === 'finish' || event.type === 'failed') return
      }
  } catch (error) {
    if (!signal.aborted) yield reader.fail(error)
    return
  }
  if (!signal.aborted) yield reader.end()
}

function callOptions(
  { reasoning, providerOptions, cacheMark }: AiSdkOptions,
  request: ModelRequest,
): LanguageModelV4CallOptions {
  const { tools, toolChoice, maxOutputTokens, signal: abortSignal } = request
  const isForced = toolChoice === 'required' && tools.length > 0
  return {
    prompt: promptOf(request, cacheMark),
    abortSignal,
    ...(tools.length > 0 ? { tools: toolsOf(tools) } : {}),
    ...(isForced ? { toolChoice: { type: 'required' } } : {}),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    // Anthropic refuses to think and to be forced at once.
    ...(reasoning && !isForced ? { reasoning } : {}),
    ...(providerOptions ? { providerOptions } : {}),
  }
}
