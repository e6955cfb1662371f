import type { AskUserAnswer, ChatEndPayload, ChatSendPayload, SessionDetail, TurnProjection } from '@parley/protocol'
import { emptyProjection, isEventName, reduce, type Projection, type SessionEvent } from '@parley/protocol'
import type { Client, Received } from '../face/client.ts'
import { isOfFlow, Names, traceOf } from './trace.ts'
import type { World } from './world.ts'

const DEADLINE_MS = 100_000

export type SendAck = { status: string; code: string; message: string; run_id: string; session_id: string }

/** A run as one client saw it. */
export type Run = { ack: SendAck; events: Received[]; end: ChatEndPayload; trace: string[] }

/** One client in one session. */
export class Chat implements AsyncDisposable {
  readonly client: Client
  readonly session_id: string
  readonly names = new Names()
  readonly #world: World

  constructor(world: World, client: Client, session_id: string) {
    this.#world = world
    this.client = client
    this.session_id = session_id
  }

  get received(): readonly Received[] {
    return this.client.received
  }

  async send(message: ChatSendPayload['message'], rest: object = {}): Promise<SendAck> {
    return (await this.client.ask('chat:send', { session_id: this.session_id, message, ...rest })) as SendAck
  }

  /** Sends, and waits until everything about the run has been told. */
  async run(message: ChatSendPayload['message'], rest: object = {}): Promise<Run> {
    const from = this.received.length
    const ack = await this.send(message, rest)
    if (ack.status !== 'ok') throw new Error(`chat:send was refused: ${ack.code} ${ack.message}`)
    return this.ended(ack, from)
  }

  /** Answers the question that waits. */
  async answer(selections: Record<string, number[]> = { '0': [0] }, rest: object = {}): Promise<Run> {
    return this.run('', { askuser_answer: await this.answerWith(selections), ...rest })
  }

  async answerWith(selections: Record<string, unknown> = { '0': [0] }, custom: object = {}): Promise<AskUserAnswer> {
    const { pending_question } = await this.session()
    if (!pending_question) throw new Error('No question waits.')
    return { tool_call_id: pending_question.tool_call_id, selections, custom } as AskUserAnswer
  }

  /** The run's end, with everything this client got since `from`. */
  async ended(ack: SendAck, from = 0): Promise<Run> {
    const isEnd = ({ name, payload }: Received) => name === 'chat:end' && payload['run_id'] === ack.run_id
    const end = await this.until(isEnd, `the end of ${ack.run_id}`)
    const after = this.received.indexOf(end)
    const isTold = (event: Received) => event.name === 'session:updated' && this.received.indexOf(event) > after
    const last = await this.until(isTold, 'session:updated after chat:end')
    const events = this.received.slice(from, this.received.indexOf(last) + 1)
    return { ack, events, end: end.payload as unknown as ChatEndPayload, trace: this.trace(events) }
  }

  /** `chat:*` and `turn:*`, in short. */
  trace(events: readonly Received[] = this.received): string[] {
    return traceOf(events.filter(isOfFlow), this.names)
  }

  /** The first event, past or to come, that fits; fails before the test does, and says what came instead. */
  async until(fits: string | ((event: Received) => boolean), what = 'an event'): Promise<Received> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Error(`Waited for ${typeof fits === 'string' ? fits : what}; got\n${this.#told()}`)),
        DEADLINE_MS,
      )
    })
    try {
      return await Promise.race([this.client.until(fits), late])
    } finally {
      clearTimeout(timer)
    }
  }

  /** Resolves when a line like this has been told. */
  async told(line: RegExp | string): Promise<void> {
    const isThere = () => {
      const lines = traceOf(this.received, new Names())
      return lines.some((one) => (typeof line === 'string' ? one.includes(line) : line.test(one)))
    }
    await this.until(isThere, String(line))
  }

  stop(): Promise<Record<string, unknown>> {
    return this.client.ask('chat:stop', { session_id: this.session_id })
  }

  /** What the shared reducer makes of everything received. */
  fold(): Projection {
    return this.received
      .filter(({ name }) => isEventName(name))
      .reduce((state, event) => reduce(state, event as unknown as SessionEvent), emptyProjection)
  }

  session(): Promise<SessionDetail> {
    return this.#world.session(this.session_id)
  }

  messages(): Promise<TurnProjection[]> {
    return this.#world.messages(this.session_id)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client[Symbol.asyncDispose]()
  }

  #told(): string {
    return traceOf(this.received, new Names()).join('\n')
  }
}

/** The turns of a run's `turn:end` events, by name. */
export function endOf(run: Run, number: number): TurnProjection {
  const ends = run.events.filter(({ name }) => name === 'turn:end')
  return ends.at(number)!.payload as unknown as TurnProjection
}
