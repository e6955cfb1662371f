import type { ChatSendOk, ChatSendPayload, EventName, GivenAnswer, MessageContent } from '@parley/protocol'
import { AgentError, questionsOf, validateAnswer } from '@parley/protocol'
import type { AgentSessionState } from './agent-session-state.ts'
import type { Ports } from '../ports.ts'
import type { Connection } from '../connection/connection.ts'
import type { SessionListener } from './session-audience.ts'
import type { SessionStore } from './session-store.ts'

export type ConnectOptions = {
  /** Read only this many turns of the history at first; more with `loadOlder`. Default: all. */
  limit?: number
}

export type SendOptions = Omit<ChatSendPayload, 'session_id' | 'message' | 'askuser_answer'> & { signal?: AbortSignal }

export type AnswerOptions = {
  /** Shown in the history beside the answer; the model does not get it. */
  message?: string
  signal?: AbortSignal
}

type AgentSessionParts = ConnectOptions & {
  id: string
  store: SessionStore
  connection: Connection
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
  readonly #ports: Ports
  readonly #release: () => void
  readonly #undo = new Set<() => void>()
  #isDisposed = false

  constructor({ id, store, connection, ports, limit }: AgentSessionParts) {
    this.id = id
    this.#store = store
    this.#connection = connection
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
