import type { Feature, World } from '../feature.ts'
import { branchRoutes } from './branch-routes.ts'

/** Going back to an earlier place of a conversation, and on from there. Its rows are the store's. */
export function branchesFeature({ engine, journal, clock, ids }: World): Feature {
  return {
    name: 'branches',
    routes: (scope, sessions) => branchRoutes(scope, sessions, { engine, journal, clock, ids }),
  }
}
