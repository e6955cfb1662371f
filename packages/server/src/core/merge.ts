/**
 * Runs generators side by side and yields what they yield, as it comes. A branch goes on only after its last event has
 * been taken and the next one is asked for, so what holds for one generator holds for each branch: first on record, then
 * the next step. At most `limit` branches run at once; the others wait for their turn, in order.
 */
export async function* merge<T>(branches: readonly AsyncGenerator<T, void>[], limit: number): AsyncGenerator<T, void> {
  const waiting = [...branches]
  const running = new Map<AsyncGenerator<T, void>, Promise<Step<T>>>()
  const advance = (branch: AsyncGenerator<T, void>) => {
    running.set(
      branch,
      branch.next().then((result) => ({ branch, result })),
    )
  }
  try {
    for (;;) {
      while (running.size < limit && waiting.length > 0) advance(waiting.shift()!)
      if (running.size === 0) return
      const { branch, result } = await Promise.race(running.values())
      running.delete(branch)
      if (result.done) continue
      yield result.value
      advance(branch)
    }
  } finally {
    // The reader left, or a branch threw: nothing may go on unseen.
    await Promise.allSettled([...running.keys()].map((branch) => branch.return()))
  }
}

type Step<T> = { branch: AsyncGenerator<T, void>; result: IteratorResult<T, void> }
