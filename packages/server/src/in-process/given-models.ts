import { clock } from '../clock-and-ids.ts'
import type { AnswerLimits } from '../models/answer-meter.ts'
import type { KnownModels } from '../models/registry.ts'
import { withRetries } from '../models/with-retries.ts'
import type { ModelEntry } from '../ports.ts'
import { guardedModel } from './guarded-model.ts'
import type { GivenModel } from './in-process.ts'

/** Models that a program has: they are found by their id, asked again when they fail, and nobody is shown a list. */
export function givenModels(find: (id: string) => GivenModel | undefined, limits: AnswerLimits): KnownModels {
  const sleep = (ms: number, signal: AbortSignal) => clock.sleep(ms, signal)
  const entryOf = (id: string): ModelEntry | undefined => {
    const found = find(id)
    if (!found) return undefined
    const model = withRetries({ id, model: guardedModel(id, found, limits) }, { sleep, random: Math.random })
    return { id, name: id, contextWindow: 0, supportsVision: false, supportsThinking: false, model }
  }
  return {
    default: '',
    ids: () => [],
    has: (id) => find(id) !== undefined,
    offers: async (id) => find(id) !== undefined,
    find: entryOf,
  }
}
