import type { Feature, World } from '../feature.ts'
import { suggestionRoutes } from './suggestion-routes.ts'

/** Switched off it has no routes; rows of before still go with their sessions. */
export function suggestionsFeature({ config, engine, clock, ids, modelOf, logger }: World): Feature {
  const onFailure = (reason: string, where: { session_id: string; turn_id: string }) =>
    logger.warn({ reason, ...where }, 'nothing could be suggested after an answer')
  return {
    name: 'suggestions',
    tables: ['suggestions'],
    ...(config.suggestions && {
      routes: (scope, sessions) => suggestionRoutes(scope, { engine, clock, ids, modelOf, onFailure, sessions }),
    }),
  }
}
