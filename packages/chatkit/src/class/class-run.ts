import type { AdapterIO } from '../model/chat-adapter.ts'
import { chatKitError, isChatKitError } from '../model/chat-kit-error.ts'
import type { ChatOp } from '../model/chat-op.ts'
import type { StreamEvent } from '../stream/event-parser.ts'
import { createOpChannel } from './op-channel.ts'
import { createRenderRecorder, type RenderRecorder } from './render-recorder.ts'

/** A run of the class API: what the subclass renders goes through `recorder` into the ops that the store reads. */
export type ClassRun = {
  readonly io: AdapterIO
  readonly recorder: RenderRecorder
  /** Resolves when the store has taken everything said so far. */
  drained(): Promise<void>
  ops(): AsyncGenerator<ChatOp>
  /** The subclass is done, or has failed. */
  settle(outcome: Promise<unknown>): void
}

export function createClassRun(io: AdapterIO, onResult: (result: unknown) => void): ClassRun {
  const channel = createOpChannel()
  const recorder = createRenderRecorder(channel.push)
  const finish = (op: ChatOp) => {
    channel.push(op)
    channel.close()
  }
  io.signal.addEventListener('abort', channel.close, { once: true })
  return {
    io,
    recorder,
    drained: channel.drain,
    ops: channel.read,
    settle(outcome) {
      outcome.then(
        (result) => {
          onResult(result)
          finish({ op: 'end' })
        },
        (error: unknown) => finish({ op: 'error', error: asFailure(error) }),
      )
    },
  }
}

export type Fold<T, K> = {
  initial: K | undefined
  reduce: (event: T, prev: K) => K
  render: (message: K) => void
}

/** Folds a stream with the subclass's reducer. The accumulator lives here and is dropped at the end. */
export async function foldStream<T, K>(events: AsyncIterable<StreamEvent>, fold: Fold<T, K>): Promise<void> {
  let message = fold.initial as K
  for await (const { event, data } of events) {
    try {
      message = fold.reduce({ event, data } as T, message)
      fold.render(message)
    } catch (cause) {
      throw chatKitError('protocol', 'The event could not be processed by the subclass.', { cause })
    }
  }
}

function asFailure(error: unknown) {
  if (isChatKitError(error)) return error
  const { status } = (error ?? {}) as { status?: number }
  const code = typeof status === 'number' ? 'server' : 'protocol'
  const message = error instanceof Error ? error.message : 'sendMessage() was rejected.'
  return chatKitError(code, message, { cause: error, status })
}
