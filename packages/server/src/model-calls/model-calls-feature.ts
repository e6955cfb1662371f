import type { Feature, World } from '../feature.ts'
import { modelCallRoutes } from './model-call-routes.ts'

export function modelCallsFeature({ engine }: Pick<World, 'engine'>): Feature {
  return { name: 'model calls', routes: (scope, sessions) => modelCallRoutes(scope, { engine, sessions }) }
}
