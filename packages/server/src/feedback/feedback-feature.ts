import type { Feature, World } from '../feature.ts'
import { FeedbackLimit } from './feedback-limit.ts'
import { feedbackRoutes } from './feedback-routes.ts'

export function feedbackFeature({ engine, journal, clock }: Pick<World, 'engine' | 'journal' | 'clock'>): Feature {
  const limit = new FeedbackLimit(() => clock.elapsed())
  return {
    name: 'feedback',
    routes: (scope, sessions) => feedbackRoutes(scope, { engine, journal, sessions, limit }),
    tables: ['feedback'],
  }
}
