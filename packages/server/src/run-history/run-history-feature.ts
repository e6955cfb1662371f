import type { Feature, World } from '../feature.ts'
import type { SessionMasks } from '../secrets/session-masks.ts'
import { runRoutes } from './run-routes.ts'

export function runHistoryFeature({ engine, config }: Pick<World, 'engine' | 'config'>, masks: SessionMasks): Feature {
  return { name: 'run history', routes: (scope, sessions) => runRoutes(scope, { engine, config, masks, sessions }) }
}
