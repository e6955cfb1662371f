/**
 * Runs generators side by side and yields what they yield, as it comes. A branch goes on only after its last event has
 * been taken and the next one is asked for, so what holds for one generator holds for each branch: first on record, then
 * the next step. At most `limit` branches run at once; the others wait for their turn, in order. The limit is asked for
 * after every event: it may grow.
 */
export async function* merge<T>(
  branches: readonly AsyncGenerator<T, void>[],
  limit: () => number,
): AsyncGenerator<T, void> {
  const waiting = [...branches]
  const begun = new Map<AsyncGenerator<T, void>, Promise<Step<T>>>()
  const advance = (branch: AsyncGenerator<T, void>) => {
    begun.set(
      branch,
      branch.next().then((result) => ({ branch, result })),
    )
  }
  try {
    for (;;) {
      while (begun.size < limit() && waiting.length > 0) advance(waiting.shift()!)
      if (begun.size === 0) return
      const { branch, result } = await Promise.race(begun.values())
      if (result.done) {
        begun.delete(branch)
        continue
      }
      yield result.value
      advance(branch)
    }
  } finally {
    // The reader left, or a branch threw: nothing may go on unseen.
    await Promise.allSettled([...begun.keys()].map((branch) => branch.return()))
  }
}

type Step<T> = { branch: AsyncGenerator<T, void>; result: IteratorResult<T, void> }
