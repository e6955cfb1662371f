import type { Feature, World } from '../feature.ts'
import { runSql } from '../store/work.ts'
import { usageRoutes } from './usage-routes.ts'

/** What runs have cost in tokens, money and time. Their rows are written where runs end. */
export function usageFeature({ engine, config, clock }: Pick<World, 'engine' | 'config' | 'clock'>): Feature {
  return {
    name: 'usage',
    routes: (scope) => usageRoutes(scope, { engine, config, now: () => clock.now() }),
    /** What they have used stays in the sums, without their name. */
    async dropUser(user_id) {
      const forget = "UPDATE run_usage SET account_id = '', key_id = NULL WHERE account_id = ?"
      await engine.write(() => runSql(forget, [user_id]))
    },
  }
}
