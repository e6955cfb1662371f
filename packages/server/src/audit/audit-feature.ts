import type { Feature, World } from '../feature.ts'
import { auditRoutes } from './audit-routes.ts'

/** Reading what is on record. Whoever does something writes it, with `store/audit.ts`. */
export function auditFeature({ engine }: Pick<World, 'engine'>): Feature {
  return { name: 'audit', routes: (scope) => auditRoutes(scope, engine) }
}
