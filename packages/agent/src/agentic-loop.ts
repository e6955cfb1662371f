import {
  type AgentEvent,
  createCancelledEvent,
  createDecisionEvent,
  createErrorEvent,
} from '@parley/protocol/agent-sse'
import { chatFailure, type GivenKnowledge, type InProcess, newId } from '@parley/server/in-process'
import { type AgentConfig, resolveConfig, type ResolvedConfig } from './agent-config.ts'
import type { ChatOptions } from './chat-options.ts'
import { type Answered, answeredCall } from './answered-call.ts'
import { type Member, type SharedCore, sharedCoreAt, type Work } from './shared-core.ts'
import { type LoopResult, resultOf } from './loop-result.ts'
import { answeringFirst } from './llm/answering-first.ts'
import { KnowledgeStore } from './knowledge/knowledge-store.ts'
import { shownEvent } from './shown-event.ts'
import { givenTools } from './plugins/given-tools.ts'
import type { PluginManager } from './plugins/plugin-manager.ts'

/** What a run is given that is not stored. */
type RunOptions = Pick<ChatOptions, 'context' | 'systemPrompt' | 'skipConfirmation'>
type Identified = ChatOptions & { messageId: string }
type Answering = Omit<Identified, 'sessionId' | 'pendingConfirmation'> & Answered

/** Runs messages over the core: each is accepted, followed through the journal and told as events, until its last one. */
export class AgenticLoop implements AsyncDisposable {
  readonly #config: Omit<ResolvedConfig, 'plugins' | 'dataDir'>
  readonly #plugins: PluginManager
  readonly #core: SharedCore
  readonly #member: Member
  #isClosed = false

  constructor(given: AgentConfig, plugins: PluginManager) {
    const { dataDir, plugins: _plugins, ...config } = resolveConfig(given)
    this.#config = config
    this.#plugins = plugins
    this.#core = sharedCoreAt(dataDir)
    const { language, logger } = config
    this.#member = { name: config.llm.name, language, logger, work: (session_id) => this.#work(session_id, {}) }
  }

  /** Resolves with how it ended, whatever that was, after the last event has been told. */
  async run(message: string, options: ChatOptions = {}): Promise<LoopResult> {
    // Also for whoever asked before it was closed: nobody would close what is opened now.
    if (this.#isClosed) throw new TypeError('This agent is closed.')
    const identified = { ...options, messageId: options.messageId ?? newId('msg') }
    const events: AgentEvent[] = []
    for await (const event of this.#events(message, identified)) {
      const shown = shownEvent(event, this.#plugins)
      // A tool's whole result is for the answer; its event has the data alone.
      events.push(event.type === 'tool_call_completed' ? event : shown)
      this.#tell(shown, options.onEvent)
    }
    return resultOf(identified.messageId, events)
  }

  /** The documents beside its conversations. */
  async documents(): Promise<GivenKnowledge> {
    if (this.#isClosed) throw new TypeError('This agent is closed.')
    return (await this.#core.enter(this.#member)).knowledge
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await this.#core.leave(this.#member)
  }

  /** What a listener throws is its caller's. One that is asynchronous is not waited for: its failure is logged. */
  #tell(event: AgentEvent, listener: ((event: AgentEvent) => unknown) | undefined): void {
    const told = listener?.(event)
    if (told instanceof Promise)
      told.catch((error: unknown) => this.#config.logger.error('an onEvent that was not waited for failed', error))
  }

  /** What fails here is an event too; what a listener throws is not ours. */
  async *#events(message: string, options: Identified): AsyncGenerator<AgentEvent> {
    const { sessionId = newId('session') } = options
    try {
      const core = await this.#core.enter(this.#member)
      const { pendingConfirmation: given } = options
      const { skipKnowledge } = options
      if (!given)
        return yield* this.#follow(core, { message, sessionId, skipKnowledge, ...historyIn(options) }, options)
      const answered = await answeredCall(given, options.sessionId, { core, tools: this.#plugins })
      yield* answered.rebuild
        ? this.#rebuild(core, message, { ...options, ...answered })
        : this.#answer(core, message, { ...options, ...answered })
    } catch (error) {
      yield this.#failed(sessionId, error)
    }
  }

  #answer(core: InProcess, message: string, { sessionId, pendingConfirmation, ...options }: Answering) {
    return this.#follow(core, { message, sessionId, pendingConfirmation }, options)
  }

  /** [8.2] The call is asked for once more, by a model that says nothing else, and then answered. */
  async *#rebuild(core: InProcess, message: string, options: Answering): AsyncGenerator<AgentEvent> {
    const { sessionId, messageId, pendingConfirmation: given } = options
    const {
      toolName: name,
      arguments: args,
      userMessage,
    } = given as { toolName: string; arguments: Record<string, unknown>; userMessage: string }
    const work = this.#work(sessionId, options, name)
    const model = { ...work.model, model: answeringFirst({ name, arguments: args }, work.model.model) }
    const request = { message: userMessage, sessionId, skipKnowledge: true, ...historyIn(options) }
    const asking = { ...options, messageId: `${messageId.slice(0, 119)}.rebuilt` }
    const told: AgentEvent[] = []
    for await (const event of this.#follow(core, request, asking, { ...work, model })) told.push(event)
    const last = told.at(-1)
    // The tool is gone, or its arguments no longer fit: the model has been told, and so is the caller.
    if (last?.type !== 'confirmation_required') return yield* told
    yield* this.#answer(core, message, { ...options, pendingConfirmation: last.data.pendingConfirmation })
  }

  // oxlint-disable-next-line max-params
  async *#follow(
    core: InProcess,
    request: { message: string; sessionId: string; [field: string]: unknown },
    { messageId, abortSignal, ...options }: Omit<Identified, 'pendingConfirmation'>,
    work: Work = this.#work(request.sessionId, options),
  ): AsyncGenerator<AgentEvent> {
    using taken = this.#core.take(this.#config.llm.name, work)
    const { maxIterations, maxDuration } = this.#config.behavior
    const run = await core.send({ ...request, messageId }, { model: taken.model, maxIterations, maxDuration })
    const stop = () => void core.stop(run).catch(() => undefined)
    abortSignal?.addEventListener('abort', stop, { once: true })
    if (abortSignal?.aborted) stop()
    try {
      let text = ''
      for await (const event of core.events(run, maxIterations)) {
        if (event.type === 'content_chunk') text += event.data.content
        yield event
        if (isTerminal(event)) return
      }
      yield* closing(request.sessionId, text)
    } finally {
      abortSignal?.removeEventListener('abort', stop)
    }
  }

  /** It was not accepted, or cannot be followed any more. */
  #failed(sessionId: string, error: unknown): AgentEvent {
    const { language, logger } = this.#config
    const { code, message, recoverable, isOurs } = chatFailure(error, language)
    if (isOurs) logger.error('a message was not answered', error)
    return createErrorEvent(sessionId, code, message, recoverable)
  }

  #work(
    sessionId: string,
    { context = {}, systemPrompt, skipConfirmation = false }: RunOptions,
    mustAsk?: string,
  ): Work {
    const { llm, behavior, logger } = this.#config
    const { requireConfirmation, toolTimeoutMs: timeoutMs } = behavior
    const asks = requireConfirmation && !skipConfirmation
    return {
      model: { model: llm.asModel(), patienceMs: behavior.timeoutMs },
      setup: {
        system: systemPrompt ?? this.#config.systemPrompt,
        tools: givenTools(() => this.#plugins.listTools(), {
          ...{ sessionId, context, logger, timeoutMs, asks, mustAsk },
          knowledgeBase: new KnowledgeStore(this),
        }),
        maxTurns: behavior.maxIterations,
        consentMs: behavior.confirmationTtlMs,
      },
    }
  }
}

const TERMINAL: ReadonlySet<AgentEvent['type']> = new Set(['completed', 'confirmation_required', 'error', 'cancelled'])

const isTerminal = ({ type }: AgentEvent) => TERMINAL.has(type)

/** The agent was closed under the run: it goes on in the next process, if there is a directory to find it in. */
function* closing(sessionId: string, text: string): Generator<AgentEvent> {
  yield createDecisionEvent(sessionId, 'Server is shutting down', false)
  yield createCancelledEvent(sessionId, 'server_shutdown', text)
}

function historyIn({ history }: Pick<ChatOptions, 'history'>): { history?: unknown } {
  if (!history) return {}
  return { history: history.map(({ timestamp: at, ...said }) => ({ ...said, ...(at && { timestamp: textOf(at) }) })) }
}

function textOf(at: string | Date): string {
  return typeof at === 'string' ? at : at.toISOString()
}
