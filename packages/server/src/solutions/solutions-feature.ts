import type { Feature, World } from '../feature.ts'
import { solutionRoutes } from './solution-routes.ts'

/** Folders with a `solution.yaml`: agents in roles, which sessions may name. */
export function solutionsFeature({ agents, isOwner }: World): Feature {
  return { name: 'solutions', routes: (scope) => solutionRoutes(scope, { agents, isOwner }) }
}
