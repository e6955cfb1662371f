import type { ChatSendOk, ChatSendPayload, EventName, GivenAnswer, MessageContent } from '@parley/protocol'
import { AgentError, questionsOf, validateAnswer } from '@parley/protocol'
import type { Checkpoint, SwitchedBranch } from '@parley/protocol/rest'
import type { AgentSessionState } from './agent-session-state.ts'
import type { Ports } from '../ports.ts'
import type { Connection } from '../connection/connection.ts'
import type { Rest } from '../rest/rest.ts'
import { findMessage, saidAgain, withText } from './said-again.ts'
import type { SessionListener } from './session-audience.ts'
import type { SessionStore } from './session-store.ts'

export type ConnectOptions = {
  /** Read only this many turns of the history at first; more with `loadOlder`. Default: all. */
  limit?: number
}

export type SendOptions = Omit<ChatSendPayload, 'session_id' | 'message' | 'askuser_answer'> & { signal?: AbortSignal }

export type ReplaceOptions = Omit<SendOptions, 'whatif'>

export type AnswerOptions = {
  /** Shown in the history beside the answer; the model does not get it. */
  message?: string
  signal?: AbortSignal
}

type AgentSessionParts = ConnectOptions & {
  id: string
  store: SessionStore
  connection: Connection
  rest: Rest
  ports: Ports
}

/**
 * A live session: its state as an external store, and what a user can do in it. It survives lost connections by itself;
 * commands wait for the connection, and a message whose acknowledgement was lost is sent again under the same id.
 */
export class AgentSession {
  readonly id: string
  readonly #store: SessionStore
  readonly #connection: Connection
  readonly #rest: Rest
  readonly #ports: Ports
  readonly #release: () => void
  readonly #undo = new Set<() => void>()
  #isDisposed = false

  constructor({ id, store, connection, rest, ports, limit }: AgentSessionParts) {
    this.id = id
    this.#store = store
    this.#connection = connection
    this.#rest = rest
    this.#ports = ports
    this.#release = store.hold(limit === undefined ? {} : { limit })
  }

  /** The present state; the same object until something changes. Bound, so that it can be handed to React. */
  readonly getState = (): AgentSessionState => this.#store.getState()

  /** Calls `onChange` after every change of the state. Returns the way back. */
  readonly subscribe = (onChange: () => void): (() => void) => this.#undoable(this.#store.subscribe(onChange))

  /** Every event of the session, by its wire name, each once. Returns the way back. */
  on<Name extends EventName>(name: Name, listener: SessionListener<Name>): () => void {
    return this.#undoable(this.#store.on(name, listener))
  }

  /** Resolves once the history is there and events are followed; rejects when the session cannot be followed. */
  ready({ signal }: { signal?: AbortSignal } = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        if (this.getState().isReady) return settle(resolve)
        const { failure } = this.#store
        if (failure) settle(() => reject(failure))
      }
      const abort = () => settle(() => reject(signal?.reason as Error))
      const unsubscribe = this.subscribe(look)
      const settle = (end: () => void) => {
        unsubscribe()
        signal?.removeEventListener('abort', abort)
        end()
      }
      signal?.addEventListener('abort', abort, { once: true })
      if (signal?.aborted) abort()
      else look()
    })
  }

  /** Starts a run. Resolves when the message is durable, with `isStreaming` already true; rejects with the server's code, e.g. `session_busy`. */
  send(message: MessageContent, { signal, ...options }: SendOptions = {}): Promise<ChatSendOk> {
    return this.#start({ ...options, message }, signal)
  }

  /**
   * Asks once more for the answer that this turn is part of: the same message with its attachments, in its own place. What
   * was answered before stays as a version.
   */
  async regenerate(turn_id: string, options: ReplaceOptions = {}): Promise<ChatSendOk> {
    const asked = findMessage(this.getState().turns, turn_id)
    const message = await saidAgain(asked, this.#rest, options.signal)
    const quotes = asked.quotes ?? []
    return this.send(message, { ...options, whatif: { before_turn_id: asked.turn_id, quotes } })
  }

  /** Sends another message in the place of this one. A text leaves the attachments as they were, parts replace them too. */
  async edit(turn_id: string, message: MessageContent, options: ReplaceOptions = {}): Promise<ChatSendOk> {
    const asked = findMessage(this.getState().turns, turn_id)
    const isText = typeof message === 'string'
    const content = isText ? withText(await saidAgain(asked, this.#rest, options.signal), message) : message
    return this.send(content, { ...options, whatif: { before_turn_id: asked.turn_id } })
  }

  /** All versions of the message that this turn is, or answers, oldest first: what was said in its place. */
  async versionsOf(turn_id: string, { signal }: { signal?: AbortSignal } = {}): Promise<Checkpoint[]> {
    const asked = findMessage(this.getState().turns, turn_id)
    const all = await this.#rest.get<Checkpoint[]>(`${this.#path}/checkpoints`, signal && { signal })
    const own = all.find((one) => one.turn_id === asked.turn_id)
    return all.filter((one) => own && one.parent_turn_id === own.parent_turn_id)
  }

  /** Goes on with the branch that this version lies on, for everybody who follows the session. */
  switchVersion({ checkpoint_id }: Pick<Checkpoint, 'checkpoint_id'>): Promise<SwitchedBranch> {
    return this.#rest.post(`${this.#path}/switch-branch`, { checkpoint_id })
  }

  /** Answers a waiting question. An answer that does not fit is refused here, with the reasons in `details.errors`. */
  async answer(answer: GivenAnswer, { message = '', signal }: AnswerOptions = {}): Promise<ChatSendOk> {
    this.#checkAnswer(answer)
    return this.#start({ message, askuser_answer: answer }, signal)
  }

  /** Adds a message to the run that is under way. */
  async append(message: MessageContent, { signal }: { signal?: AbortSignal } = {}): Promise<void> {
    await this.#connection.command('chat:append', { ...this.#message(), message }, { signal })
  }

  /** Stops the active run, or withdraws the question that waits. */
  async stop({ signal }: { signal?: AbortSignal } = {}): Promise<void> {
    const { runId } = this.getState()
    // Only with the run's name is a repeated stop harmless to the run after it.
    const isRepeatable = runId !== null
    await this.#connection.command('chat:stop', { session_id: this.id, run_id: runId }, { isRepeatable, signal })
  }

  /** Compacts the context now; resolves when that is done. */
  async compact(): Promise<void> {
    await this.#connection.command('chat:compact', { session_id: this.id }, { isRepeatable: false })
  }

  /** Reads earlier turns, when `hasOlder` says there are any. */
  loadOlder(count = 50, { signal }: { signal?: AbortSignal } = {}): Promise<void> {
    return this.#store.loadOlder(count, signal)
  }

  /** Stops following. The run goes on; a script that needs nothing else ends. */
  dispose(): void {
    if (this.#isDisposed) return
    this.#isDisposed = true
    for (const undo of this.#undo) undo()
    this.#release()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }

  #start(payload: Omit<ChatSendPayload, 'session_id'>, signal: AbortSignal | undefined): Promise<ChatSendOk> {
    const onAccepted = ({ run_id }: ChatSendOk) => this.#store.accepted(run_id)
    return this.#connection.command('chat:send', { ...this.#message(), ...payload }, { signal, onAccepted })
  }

  get #path(): string {
    return `/api/sessions/${encodeURIComponent(this.id)}`
  }

  #message() {
    return { session_id: this.id, client_message_id: this.#ports.newMessageId() }
  }

  #checkAnswer(answer: GivenAnswer): void {
    const question = this.getState().questions.find(({ tool_call_id }) => tool_call_id === answer.tool_call_id)
    const questions = questionsOf(question?.arguments)
    if (!questions) return // Not known here; the server decides.
    const errors = validateAnswer(questions, answer)
    if (errors.length === 0) return
    const where = errors.map(({ question, reason }) => `question ${Number(question) + 1}: ${reason}`).join(', ')
    throw new AgentError('invalid_answer', `The answer does not fit: ${where}.`, {
      details: { tool_call_id: answer.tool_call_id, errors },
    })
  }

  #undoable(undo: () => void): () => void {
    const once = () => {
      this.#undo.delete(once)
      undo()
    }
    this.#undo.add(once)
    return once
  }
}
