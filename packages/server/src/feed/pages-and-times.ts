import type { StoredEvent } from '../store/work.ts'

export type Timetable = { dueAt: () => number | null; now: () => number }

type Pages = AsyncGenerator<readonly StoredEvent[]>

/**
 * Pages as they come, and `due` whenever the timetable's time is reached before the next one. Whoever leaves it, also in
 * the middle of a wait, leaves nothing behind: the signal given to `open` ends the wait.
 */
export async function* pagesAndTimes(
  open: (signal: AbortSignal) => Pages,
  signal: AbortSignal,
  { dueAt, now }: Timetable,
): AsyncGenerator<readonly StoredEvent[] | 'due'> {
  // A plain signal: one made by AbortSignal.any is looked at a hundred times a second, and costs more each time.
  const left = new AbortController()
  const leave = () => left.abort()
  signal.addEventListener('abort', leave)
  if (signal.aborted) leave()
  const pages = open(left.signal)
  let next = pages.next()
  try {
    for (;;) {
      const at = dueAt()
      const result = at === null ? await next : await soonest(next, at - now())
      if (result === 'due') {
        yield 'due'
        continue
      }
      if (result.done) return
      yield result.value
      next = pages.next()
    }
  } finally {
    signal.removeEventListener('abort', leave)
    leave()
    await Promise.allSettled([next])
    await pages.return(undefined)
  }
}

async function soonest<T>(next: Promise<T>, ms: number): Promise<T | 'due'> {
  const timer = Promise.withResolvers<'due'>()
  const id = setTimeout(() => timer.resolve('due'), Math.max(0, ms))
  try {
    return await Promise.race([next, timer.promise])
  } finally {
    clearTimeout(id)
  }
}
