import type { ModelEvent, ModelRequest } from '../ports.ts'
import { EventQueue } from './event-queue.ts'

/** The answer of a model that tells every piece by itself, its text gathered as the request's pace says. */
export function gathered(
  answer: AsyncIterable<ModelEvent>,
  { signal, pace }: Pick<ModelRequest, 'signal' | 'pace'>,
): AsyncIterable<ModelEvent> {
  if (!pace) return answer
  return { [Symbol.asyncIterator]: () => startReading(answer[Symbol.asyncIterator](), { signal, pace }) }
}

function startReading(
  events: AsyncIterator<ModelEvent>,
  { signal, pace }: Pick<ModelRequest, 'signal' | 'pace'>,
): EventQueue {
  let room: PromiseWithResolvers<void> | undefined
  const queue = new EventQueue({
    signal,
    ...(pace && { pace }),
    onFull: () => (room ??= Promise.withResolvers()),
    onDrained() {
      room?.resolve()
      room = undefined
    },
    onReturn() {
      room?.resolve()
      // It may be waiting for its provider: what is left of it is nobody's business.
      void events.return?.().catch(() => undefined)
    },
  })
  const read = async () => {
    for (;;) {
      const next = await events.next()
      if (next.done) return queue.end()
      queue.push(next.value)
      if (room) await room.promise
    }
  }
  read().catch((error: unknown) => queue.fail(error))
  return queue
}
