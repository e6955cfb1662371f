import type { Engine } from '../store/engine.ts'
import { copyVectors, offerCopies } from './database-vectors.ts'
import type { Embedder } from './embedder.ts'
import { fillVectors } from './vectors.ts'

const LOOK_MS = 2_000
/** Numbers only grow, so most looks begin where the last one ended; now and then one begins anew. */
const LOOKS_ANEW = 300
/** After a failure the endpoint is left alone for so long. */
const PAUSE_MS = 60_000

/**
 * Passages get their vectors after they were stored, on every instance: until then, and while the endpoint does not answer,
 * they are found by their words. Whoever dies in between leaves passages without, which the next look finds. A database that
 * compares vectors itself gets its copies here too.
 */
export function startFilling(engine: Engine, embedder: Embedder, onError: (error: unknown) => void): AsyncDisposable {
  let isOver = false
  let notBefore = 0
  let working: Promise<void> = Promise.resolve()
  let isWorking = false
  let filled = 0
  let copied = 0
  let areCopied = false
  let looks = 0
  const copy = async () => {
    for (let next: number | undefined = copied; next !== undefined && areCopied && !isOver;) {
      copied = next
      next = await copyVectors(engine, embedder.model, copied)
    }
  }
  const work = async () => {
    if (looks++ % LOOKS_ANEW === 0) {
      filled = copied = 0
      areCopied = await offerCopies(engine)
    }
    for (;;) {
      await copy()
      const next = isOver ? undefined : await fillVectors(engine, embedder, filled)
      if (next === undefined) return
      filled = next
    }
  }
  const look = () => {
    if (isWorking || isOver || performance.now() < notBefore) return
    isWorking = true
    working = work()
      .catch((error: unknown) => {
        notBefore = performance.now() + PAUSE_MS
        if (!isOver) onError(error)
      })
      .finally(() => {
        isWorking = false
      })
  }
  const looking = engine.timers.every(LOOK_MS, look)
  return {
    async [Symbol.asyncDispose]() {
      isOver = true
      looking[Symbol.dispose]()
      await working
    },
  }
}
