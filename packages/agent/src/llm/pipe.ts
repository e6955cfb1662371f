/** From somebody who pushes to somebody who pulls. What is pushed after the end is dropped. */
export type Pipe<T> = { push: (item: T) => void; end: () => void; read: () => AsyncGenerator<T> }

export function pipe<T>(): Pipe<T> {
  const items: T[] = []
  let isOver = false
  let changed = Promise.withResolvers<void>()
  const change = () => {
    changed.resolve()
    changed = Promise.withResolvers<void>()
  }
  return {
    push(item) {
      if (!isOver) items.push(item)
      change()
    },
    end() {
      isOver = true
      change()
    },
    async *read() {
      try {
        for (;;) {
          const { promise } = changed
          const item = items.shift()
          if (item !== undefined) yield item
          else if (isOver) return
          else await promise
        }
      } finally {
        // Whoever goes on pushing fills nothing.
        isOver = true
      }
    },
  }
}
