import type { Feature, World } from '../feature.ts'
import { feedbackRoutes } from './feedback-routes.ts'

export function feedbackFeature({ engine, journal }: Pick<World, 'engine' | 'journal'>): Feature {
  return {
    name: 'feedback',
    routes: (scope, sessions) => feedbackRoutes(scope, { engine, journal, sessions }),
    tables: ['feedback'],
  }
}
