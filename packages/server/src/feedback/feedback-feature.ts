import type { Feature, World } from '../feature.ts'
import { feedbackRoutes } from './feedback-routes.ts'

export function feedbackFeature({ engine }: Pick<World, 'engine'>): Feature {
  return {
    name: 'feedback',
    routes: (scope, sessions) => feedbackRoutes(scope, { engine, sessions }),
    tables: ['feedback'],
  }
}
