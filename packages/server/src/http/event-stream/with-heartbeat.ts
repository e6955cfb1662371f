/**
 * The items as they come, and a beat whenever so much time has passed, so that nobody between here and the reader takes
 * the silence for an end. Whoever leaves it while an item is awaited ends that wait by the items' own signal.
 */
export async function* withHeartbeat<Item>(
  items: AsyncGenerator<Item>,
  everyMs: number,
): AsyncGenerator<Item | 'heartbeat'> {
  let beat = beatAfter(everyMs)
  let next: Promise<IteratorResult<Item>> | undefined
  try {
    for (;;) {
      next ??= items.next()
      const result = await Promise.race([next, beat.promise])
      if (result === 'heartbeat') {
        beat = beatAfter(everyMs)
        yield 'heartbeat'
        continue
      }
      next = undefined
      if (result.done) return
      yield result.value
    }
  } finally {
    clearTimeout(beat.timer)
    await items.return(undefined)
  }
}

function beatAfter(ms: number): { promise: Promise<'heartbeat'>; timer: NodeJS.Timeout } {
  const { promise, resolve } = Promise.withResolvers<'heartbeat'>()
  return { promise, timer: setTimeout(() => resolve('heartbeat'), ms) }
}
