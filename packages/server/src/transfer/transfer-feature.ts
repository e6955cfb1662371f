import type { Feature, World } from '../feature.ts'
import type { SessionMasks } from '../secrets/session-masks.ts'
import { exportRoutes } from './export-routes.ts'

/** A session leaves this server as a file, and comes back as another one. */
export function transferFeature({ workspaces, clock }: World, masks: SessionMasks): Feature {
  return {
    name: 'transfer',
    routes: (scope, sessions) => exportRoutes(scope, { sessions, masks, workspaces, clock }),
  }
}
