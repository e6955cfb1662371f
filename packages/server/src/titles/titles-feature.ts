import type { Feature, World } from '../feature.ts'
import { giveModelTitle } from './give-model-title.ts'

/** More at a time would stand in the way of what people wait for; the others keep their first words. */
const AT_ONCE = 4

/** Titles by a model, where one is configured for that. Without it a session is called by its first words. */
export function titlesFeature({ config, engine, journal, modelOf, hasModel, logger }: World): Feature {
  const { titleModel } = config
  if (titleModel === undefined) return { name: 'titles' }
  const closing = new AbortController()
  const working = new Set<Promise<void>>()
  return {
    name: 'titles',
    afterRun(run) {
      if (working.size >= AT_ONCE || closing.signal.aborted) return
      if (!hasModel(titleModel))
        return logger.warn(`titleModel: there is no model ${titleModel}; titles are first words`)
      const work = giveModelTitle(run, closing.signal, { engine, journal, model: modelOf(titleModel) })
        .catch((error: unknown) => {
          if (!closing.signal.aborted)
            logger.warn({ reason: String(error), session_id: run.session_id }, 'a session got no title by the model')
        })
        .finally(() => working.delete(work))
      working.add(work)
    },
    async close() {
      closing.abort()
      await Promise.all(working)
    },
  }
}
