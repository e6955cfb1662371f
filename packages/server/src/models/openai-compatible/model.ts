import type { AnswerLimits } from '../answer-meter.ts'
import { EventQueue } from '../event-queue.ts'
import { networkFailure } from '../failure.ts'
import type { Model, ModelFailure, ModelRequest } from '../../ports.ts'
import { type Exchange, startExchange } from './exchange.ts'
import type { Endpoint } from './post.ts'
import { readReply } from './read-reply.ts'
import { requestBody } from './request-body.ts'

export type OpenAICompatibleOptions = Endpoint & {
  /** The provider's id of the model, or a way to find it out. A failure to find it out is a value. */
  model: string | ((signal: AbortSignal) => Promise<string | ModelFailure>)
  limits: AnswerLimits
  newCallId: () => string
}

/** The lean wire: chat completions over `node:http`, one `JSON.parse` per event and no web streams. */
export function createOpenAICompatibleModel(options: OpenAICompatibleOptions): Model {
  return {
    stream: (request) => ({ [Symbol.asyncIterator]: () => startCall(options, request) }),
  }
}

function startCall(options: OpenAICompatibleOptions, request: ModelRequest): EventQueue {
  const { id, apiKey = '', limits, newCallId } = options
  const { signal, pace } = request
  let exchange: Exchange | undefined
  let isOver = false

  const queue = new EventQueue({
    signal,
    ...(pace && { pace }),
    onFull: () => exchange?.pause(),
    onDrained: () => exchange?.resume(),
    onReturn: close,
  })
  const reply = readReply({
    model: id,
    secret: apiKey,
    limits,
    newCallId,
    emit(event) {
      queue.push(event)
      // Of an answer that is too long more may be on its way.
      if (event.type === 'failed' || (event.type === 'finish' && event.reason === 'length')) close()
      else if (event.type === 'finish') end()
    },
  })

  /** The call is over; the connection serves the next one. */
  function end() {
    isOver = true
    signal.removeEventListener('abort', close)
    queue.end()
  }

  function close() {
    end()
    exchange?.close()
  }

  function fail(failure: ModelFailure) {
    queue.push({ type: 'failed', failure, usage: null })
    close()
  }

  async function begin() {
    const model = typeof options.model === 'string' ? options.model : await options.model(signal)
    if (isOver) return
    if (typeof model === 'string') exchange = startExchange(options, requestBody(request, model), { reply, fail })
    else fail(model)
  }

  if (signal.aborted) queue.end()
  else {
    signal.addEventListener('abort', close, { once: true })
    begin().catch((error: unknown) => fail(networkFailure(id, String(error), false)))
  }
  return queue
}
