import type { Feature, World } from '../feature.ts'
import { agentRoutes } from './agent-routes.ts'

/** Agents that sessions may name, and their versions. */
export function agentsFeature({ engine, agents, config, isOwner }: World): Feature {
  return {
    name: 'agents',
    routes: (scope) => agentRoutes(scope, { engine, agents, isOwner, systemPrompt: config.systemPrompt ?? null }),
  }
}
