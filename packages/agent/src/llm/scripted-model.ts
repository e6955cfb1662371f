import type {
  GenerateOptions,
  LLMChunk,
  LLMMessage,
  LLMResponse,
  LLMToolCall,
  ModelPort,
  ToolDefinition,
} from './model-port.ts'

/** One answer. `content` in pieces is told in pieces; with `error` the call fails after what it has told. */
export type ScriptedAnswer = {
  content?: string | readonly string[]
  toolCalls?: readonly (Omit<LLMToolCall, 'id'> & { id?: string })[]
  finishReason?: LLMResponse['finishReason']
  usage?: LLMResponse['usage']
  error?: Error
  /** Waited for before the first piece, and after the last. */
  before?: Promise<unknown>
  after?: Promise<unknown>
}

export type ScriptedRequest = { task: string; messages: readonly LLMMessage[]; tools: readonly ToolDefinition[] }

/** Answers what it is told to, one answer a call, and keeps what it was asked. For tests. */
export class ScriptedModel implements ModelPort {
  readonly name: string
  readonly requests: ScriptedRequest[] = []
  readonly #answers: (ScriptedAnswer | ((request: ScriptedRequest) => ScriptedAnswer))[]

  constructor(
    answers: readonly (ScriptedAnswer | ((request: ScriptedRequest) => ScriptedAnswer))[],
    { name = 'scripted' }: { name?: string } = {},
  ) {
    this.#answers = [...answers]
    this.name = name
  }

  /** How often it was asked. */
  get calls(): number {
    return this.requests.length
  }

  // The names and the order of the port's arguments are given.
  /* oxlint-disable max-params */
  generateWithTools(
    task: string,
    messages: readonly LLMMessage[],
    tools: readonly ToolDefinition[],
    options?: GenerateOptions,
  ): Promise<LLMResponse> {
    return this.generateWithToolsStream(task, messages, tools, () => undefined, options)
  }

  async generateWithToolsStream(
    task: string,
    messages: readonly LLMMessage[],
    tools: readonly ToolDefinition[],
    onChunk: (chunk: LLMChunk) => void,
    { abortSignal }: GenerateOptions = {},
  ): Promise<LLMResponse> {
    const request = { task, messages, tools }
    const answer = this.#next(request)
    await unlessAborted(answer.before, abortSignal)
    const pieces = typeof answer.content === 'string' ? [answer.content] : (answer.content ?? [])
    for (const content of pieces) onChunk({ type: 'content', content })
    await unlessAborted(answer.after, abortSignal)
    if (answer.error) throw answer.error
    const toolCalls = (answer.toolCalls ?? []).map((call, at) => ({ id: `call_${this.calls}_${at + 1}`, ...call }))
    for (const toolCall of toolCalls) onChunk({ type: 'tool_call', toolCall })
    onChunk({ type: 'done' })
    return {
      content: pieces.join(''),
      ...(toolCalls.length > 0 && { toolCalls }),
      finishReason: answer.finishReason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop'),
      ...(answer.usage && { usage: answer.usage }),
    }
  }

  #next(request: ScriptedRequest): ScriptedAnswer {
    this.requests.push(request)
    const answer = this.#answers.shift()
    // A status that nobody asks again for.
    if (!answer) throw Object.assign(new Error(`The script has no answer number ${this.calls}.`), { status: 400 })
    return typeof answer === 'function' ? answer(request) : answer
  }
}

async function unlessAborted(wait: Promise<unknown> | undefined, signal: AbortSignal | undefined): Promise<void> {
  if (!wait) return
  const aborted = Promise.withResolvers<never>()
  signal?.addEventListener('abort', () => aborted.reject(signal.reason), { once: true })
  await Promise.race([wait, aborted.promise])
}
