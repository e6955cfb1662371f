import type { Feature, World } from '../feature.ts'
import type { SessionMasks } from '../secrets/session-masks.ts'
import { exportRoutes } from './export-routes.ts'
import { importRoutes } from './import-routes.ts'

/** A session leaves this server as a file, and comes back as another one. */
export function transferFeature(world: World, masks: SessionMasks): Feature {
  const { engine, journal, ids, clock, workspaces } = world
  return {
    name: 'transfer',
    routes(scope, sessions) {
      exportRoutes(scope, { sessions, masks, workspaces, clock })
      importRoutes(scope, { sessions, engine, journal, ids, clock, workspaces })
    },
  }
}
