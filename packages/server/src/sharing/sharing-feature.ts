import { randomBytes } from 'node:crypto'
import type { Feature, World } from '../feature.ts'
import type { SessionMasks } from '../secrets/session-masks.ts'
import { Readings } from './readings.ts'
import { sharePage } from './share-page.ts'
import { openShareRoute, shareRoutes } from './share-routes.ts'
import { Shares } from './shares.ts'

/** Links that show a session, and nothing else, to whoever has them. */
export function sharingFeature({ engine, config, address }: World, masks: SessionMasks): Feature {
  const shares = new Shares({ engine, isEnabled: config.publicSharing, address, randomBytes })
  return {
    name: 'sharing',
    routes: (scope) => shareRoutes(scope, shares),
    openRoutes(app, _admission, sessions) {
      const readings = new Readings()
      openShareRoute(app, { shares, sessions, masks, readings })
      sharePage(app, { shares, sessions, masks, readings })
    },
    tables: ['shares'],
  }
}
