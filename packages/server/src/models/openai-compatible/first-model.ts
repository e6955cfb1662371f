import type { ModelFailure } from '../../ports.ts'
import { listModels, type ModelServer } from './list-models.ts'

/**
 * Finds out what a server calls its model when nobody told us: the first one that it lists. The answer is kept, a failure
 * is not: a server that was down at the first question is asked again at the next.
 */
export function firstModel(server: ModelServer): (signal: AbortSignal) => Promise<string | ModelFailure> {
  let known: string | undefined
  return async (signal) => {
    if (known !== undefined) return known
    const found = await listModels(server, signal)
    if (!Array.isArray(found)) return found
    known = found[0]!
    return known
  }
}
