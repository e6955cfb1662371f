import type { ChatOp } from '../model/chat-op.ts'

/** Carries ops from calls to an async iterator, in order. One reader. */
export function createOpChannel() {
  const waiting: ChatOp[] = []
  let isClosed = false
  let wake = () => {}
  let drained = () => {}

  async function* read(): AsyncGenerator<ChatOp> {
    try {
      for (;;) {
        for (let op = waiting.shift(); op; op = waiting.shift()) yield op
        drained()
        if (isClosed) return
        await new Promise<void>((resolve) => {
          wake = resolve
          if (isClosed || waiting.length > 0) resolve()
        })
      }
    } finally {
      isClosed = true
      drained()
    }
  }

  return {
    push: (op: ChatOp): void => {
      waiting.push(op)
      wake()
    },
    close: (): void => {
      isClosed = true
      wake()
    },
    /** Resolves when the reader has taken everything, or is gone. */
    drain: (): Promise<void> =>
      new Promise((resolve) => {
        if (isClosed) return resolve()
        drained = resolve
        wake()
      }),
    read,
  }
}
