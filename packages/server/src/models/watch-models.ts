import type { Clock, ModelFailure } from '../ports.ts'
import { listModels, type ModelServer } from './openai-compatible/list-models.ts'

/** What a server has, in its own words, or why it does not say; and never both twice in a row. */
export type ListChange = { origin: string } & (
  | { models: readonly string[]; failure?: never }
  | { models?: never; failure: ModelFailure }
)

type WatchOptions = { sleep: Clock['sleep']; signal: AbortSignal; onChange: (change: ListChange) => void }

const ANSWER_WITHIN_MS = 5_000
const EVERY_MS = 5 * 60_000
/** After a failure: it may only just be starting. */
const AGAIN_MS = 30_000

/**
 * Asks a server for its models, and again now and then. `onChange` hears of the first answer and of one that differs from
 * that before; a failure changes nothing of what was known and is told once.
 */
export function watchModels(server: ModelServer, { sleep, signal, onChange }: WatchOptions): void {
  const { origin } = server.baseUrl
  let last: string | undefined
  const ask = async () => {
    while (!signal.aborted) {
      const found = await listModels(server, AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]))
      if (signal.aborted) return
      const isList = Array.isArray(found)
      const said = isList ? found.join('\n') : 'failed'
      if (said !== last) onChange(isList ? { origin, models: found } : { origin, failure: found })
      last = said
      await sleep(isList ? EVERY_MS : AGAIN_MS, signal)
    }
  }
  void ask()
}
