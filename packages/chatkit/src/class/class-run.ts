import type { AdapterIO } from '../model/chat-adapter.ts'
import { chatKitError, type ChatKitError, isChatKitError, toChatKitError } from '../model/chat-kit-error.ts'
import type { ChatOp } from '../model/chat-op.ts'
import type { StreamEvent } from '../stream/event-parser.ts'
import { httpError } from '../stream/read-answer.ts'
import { createOpChannel } from './op-channel.ts'
import { createRenderRecorder, type RenderRecorder } from './render-recorder.ts'

/** A run of the class API: what the subclass renders goes through `recorder` into the ops that the store reads. */
export type ClassRun = {
  readonly io: AdapterIO
  readonly recorder: RenderRecorder
  /** Resolves when the store has taken everything said so far. */
  drained(): Promise<void>
  ops(): AsyncGenerator<ChatOp>
  /** The subclass is done, or has failed. What it `holds` still goes on. */
  settle(outcome: Promise<unknown>): void
  /** The run does not end before this has: a request, or a stream that `sendMessage()` did not wait for. */
  holds<R>(work: Promise<R>, isStream?: boolean): Promise<R>
}

export type ClassRunOptions = {
  io: AdapterIO
  failureOf: (error: unknown) => ChatKitError
  /** The method resolved with this: is the answer still to come, by a stream? */
  isAnnounced: (result: unknown) => boolean
  /** At the end, with what the method resolved with. */
  onResult: (result: unknown) => void
}

export function createClassRun({ io, failureOf, isAnnounced, onResult }: ClassRunOptions): ClassRun {
  const channel = createOpChannel()
  const recorder = createRenderRecorder(channel.push)
  let resolved: { result: unknown } | undefined
  let held = 0
  let hasStreamed = false
  const finish = (op: ChatOp) => {
    channel.push(op)
    channel.close()
  }
  const endIfDone = () => {
    if (!resolved || held > 0) return
    if (!hasStreamed && !recorder.hasRendered() && isAnnounced(resolved.result)) return
    onResult(resolved.result)
    finish({ op: 'end' })
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
          resolved = { result }
          endIfDone()
        },
        (error: unknown) => finish({ op: 'error', error: failureOf(error) }),
      )
    },
    async holds(work, isStream = false) {
      held += 1
      try {
        return await work
      } catch (error) {
        // Before that, the subclass may still make something of it.
        if (resolved) finish({ op: 'error', error: failureOf(error) })
        throw error
      } finally {
        held -= 1
        hasStreamed ||= isStream
        // A moment later: what the subclass begins with the result of this is part of the run.
        setTimeout(endIfDone)
      }
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

/** What browsers and Node say when a connection fails; any other `TypeError` is a mistake in the code. */
const CONNECTION =
  /failed to fetch|fetch failed|networkerror|load failed|network error|network connection|^terminated$/i

/** What a subclass threw, by the rules of the ready adapters: its HTTP status decides, in whichever field it stands. */
export function failureOf(error: unknown, isAuth: (status: number, error: object) => boolean): ChatKitError {
  if (isChatKitError(error)) return error
  const { status, statusCode, response, code, message = '' } = (error ?? {}) as Thrown
  const known = [status, statusCode, response?.status].find((each) => typeof each === 'number' && each >= 400)
  if (isAuth(known ?? 0, Object(error) as object))
    return chatKitError('auth', 'The token was refused.', { cause: error, status: known })
  if (known !== undefined) return httpError(known, error)
  if (code === 'ERR_NETWORK' || (error instanceof TypeError && CONNECTION.test(message)))
    return chatKitError('network', 'The server could not be reached.', { cause: error })
  return toChatKitError(error ?? new Error('sendMessage() was rejected.'))
}

type Thrown = {
  status?: number
  statusCode?: number
  response?: { status?: number }
  code?: unknown
  message?: string
}
