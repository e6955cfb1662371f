import type { Feature, World } from '../feature.ts'
import { runSql } from '../store/work.ts'
import { environmentRoute } from './environment-route.ts'
import { envBucketRoutes } from './env-bucket-routes.ts'
import { extraInfoRoutes } from './extra-info-routes.ts'
import { preferenceRoutes } from './preference-routes.ts'
import { seenRoutes } from './seen-routes.ts'

/** [W12.8] What users and their programs keep here: variables for tools, preferences, notes about a session. */
export function settingsFeature({ engine, clock, config, sealFor }: World): Feature {
  const now = () => new Date(clock.now()).toISOString()
  return {
    name: 'settings',
    routes(scope, sessions) {
      envBucketRoutes(scope, { engine, seal: sealFor('runtime_env') })
      seenRoutes(scope, engine)
      preferenceRoutes(scope, engine)
      extraInfoRoutes(scope, { engine, sessions, now })
      environmentRoute(scope, config)
    },
    tables: ['session_extras', 'seen_marks'],
    async dropUser(user_id) {
      for (const table of ['env_buckets', 'past_buckets', 'preferences'])
        await engine.write(() => runSql(`DELETE FROM ${table} WHERE user_id = ?`, [user_id]))
    },
  }
}
