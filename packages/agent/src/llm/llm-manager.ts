import { type Model, type ProviderOptions, providerModel } from '@parley/server/in-process'
import { generate } from './model-as-port.ts'
import type { GenerateOptions, LLMChunk, LLMMessage, LLMResponse, ModelPort, ToolDefinition } from './model-port.ts'
import { portModel } from './port-model.ts'

/** A client of your own behind the port, or whom to ask. */
export type LLMConfig = ModelPort | ProviderOptions

/** The model that an agent asks: through a port of yours, or on the wire of a provider. */
export class LLMManager implements ModelPort, AsyncDisposable {
  readonly name: string
  readonly #port: ModelPort | undefined
  readonly #provider: ReturnType<typeof providerModel> | undefined

  constructor(config: LLMConfig) {
    if (isPort(config)) this.#port = config
    else if (isProvider(config)) this.#provider = providerModel(config)
    else throw new TypeError('llm: must have generateWithTools, or name a provider and a model.')
    this.name = (isPort(config) ? config.name : config.model) ?? 'model'
  }

  // The names and the order of the port's arguments are given.
  /* oxlint-disable max-params */
  generateWithTools(
    task: string,
    messages: readonly LLMMessage[],
    tools: readonly ToolDefinition[],
    options?: GenerateOptions,
  ): Promise<LLMResponse> {
    if (this.#port) return this.#port.generateWithTools(task, messages, tools, options)
    return generate(this.#provider!.model, { messages, tools, options })
  }

  async generateWithToolsStream(
    task: string,
    messages: readonly LLMMessage[],
    tools: readonly ToolDefinition[],
    onChunk: (chunk: LLMChunk) => void,
    options?: GenerateOptions,
  ): Promise<LLMResponse> {
    if (!this.#port) return generate(this.#provider!.model, { messages, tools, onChunk, options })
    if (this.#port.generateWithToolsStream)
      return this.#port.generateWithToolsStream(task, messages, tools, onChunk, options)
    const response = await this.#port.generateWithTools(task, messages, tools, options)
    if (response.content) onChunk({ type: 'content', content: response.content })
    for (const toolCall of response.toolCalls ?? []) onChunk({ type: 'tool_call', toolCall })
    onChunk({ type: 'done' })
    return response
  }

  /** As runs ask it. */
  asModel(): Model {
    return this.#provider?.model ?? portModel(this.#port!, this.name)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#provider?.[Symbol.asyncDispose]()
  }
}

function isPort(config: LLMConfig): config is ModelPort {
  return 'generateWithTools' in config && typeof config.generateWithTools === 'function'
}

function isProvider(config: LLMConfig): config is ProviderOptions {
  return 'provider' in config && typeof config.provider === 'string' && typeof config.model === 'string'
}
