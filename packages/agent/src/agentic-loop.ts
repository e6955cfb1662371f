import { type AgentEvent, createErrorEvent } from '@parley/protocol/agent-sse'
import { chatFailure, type InProcess } from '@parley/server/in-process'
import type { ChatOptions, ResolvedConfig } from './agent-config.ts'
import { type Host, hostAt, type Member, type Work } from './host.ts'
import { foldRun, type LoopResult, newResult } from './loop-result.ts'
import { shownEvent } from './shown-event.ts'
import { givenTools } from './plugins/given-tools.ts'
import type { PluginManager } from './plugins/plugin-manager.ts'

export type LoopOptions = Omit<ChatOptions, 'onEvent'> & { onEvent?: ((event: AgentEvent) => void) | undefined }

type Identified = LoopOptions & { sessionId: string; messageId: string }

/** Runs messages over the core: each is accepted, followed through the journal and told as events, until its last one. */
export class AgenticLoop implements AsyncDisposable {
  readonly #config: Omit<ResolvedConfig, 'plugins' | 'dataDir'>
  readonly #plugins: PluginManager
  readonly #host: Host
  readonly #member: Member

  constructor({ dataDir, plugins: _plugins, ...config }: ResolvedConfig, plugins: PluginManager) {
    this.#config = config
    this.#plugins = plugins
    this.#host = hostAt(dataDir)
    const { language, logger } = config
    this.#member = { name: config.llm.name, language, logger, work: (session_id) => this.#work(session_id, {}) }
  }

  /** Opens the database, and takes up what an earlier process has left in it. `run` does so by itself. */
  open(): Promise<InProcess> {
    return this.#host.enter(this.#member)
  }

  /** Resolves with how it ended, whatever that was, after the last event has been told. */
  async run(message: string, options: Identified): Promise<LoopResult> {
    const { sessionId, messageId } = options
    const result = newResult(sessionId, messageId)
    const tell = (event: AgentEvent) => {
      const shown = shownEvent(event, this.#plugins)
      // A tool's whole result is for the answer; its event has the data alone.
      foldRun(result, event.type === 'tool_call_completed' ? event : shown)
      options.onEvent?.(shown)
    }
    for await (const event of this.#events(message, options)) tell(event)
    return result
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#host.leave(this.#member)
  }

  /** What fails here is an event too; what a listener throws is not ours. */
  async *#events(message: string, options: Identified): AsyncGenerator<AgentEvent> {
    try {
      yield* this.#follow(message, options)
    } catch (error) {
      yield this.#failed(options.sessionId, error)
    }
  }

  async *#follow(message: string, options: Identified): AsyncGenerator<AgentEvent> {
    const core = await this.open()
    using taken = this.#host.take(this.#config.llm.name, this.#work(options.sessionId, options))
    const { sessionId, messageId } = options
    const { maxIterations } = this.#config.behavior
    const run = await core.send({ message, sessionId, messageId }, { model: taken.model, maxIterations })
    const stop = () => void core.stop(run).catch(() => undefined)
    options.abortSignal?.addEventListener('abort', stop, { once: true })
    if (options.abortSignal?.aborted) stop()
    try {
      yield* core.events(run, maxIterations)
    } finally {
      options.abortSignal?.removeEventListener('abort', stop)
    }
  }

  /** It was not accepted, or cannot be followed any more. */
  #failed(sessionId: string, error: unknown): AgentEvent {
    const { language, logger } = this.#config
    const { code, message, recoverable, isOurs } = chatFailure(error, language)
    if (isOurs) logger.error('a message was not answered', error)
    return createErrorEvent(sessionId, code, message, recoverable)
  }

  #work(sessionId: string, { context = {}, systemPrompt, skipConfirmation = false }: LoopOptions): Work {
    const { llm, behavior, logger } = this.#config
    const { requireConfirmation, toolTimeoutMs: timeoutMs } = behavior
    const asks = requireConfirmation && !skipConfirmation
    return {
      model: { model: llm.asModel(), patienceMs: behavior.timeoutMs },
      setup: {
        system: systemPrompt ?? this.#config.systemPrompt,
        tools: givenTools(() => this.#plugins.listTools(), { sessionId, context, logger, timeoutMs, asks }),
        maxTurns: behavior.maxIterations,
        consentMs: behavior.confirmationTtlMs,
      },
    }
  }
}
