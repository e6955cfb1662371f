import type { Feature, World } from '../feature.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { policyRoutes } from './policy-routes.ts'

/** What the server's policy is, and what another rule would have been about. */
export function policyFeature({ engine, config }: World, sandbox: Pick<Sandbox, 'level' | 'reason'>): Feature {
  return { name: 'policy', routes: (scope) => policyRoutes(scope, { engine, policy: config.policy, sandbox }) }
}
