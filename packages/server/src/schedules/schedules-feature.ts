import type { Feature, World } from '../feature.ts'
import { scheduleRoutes } from './schedule-routes.ts'
import { scheduleTools } from './schedule-tools.ts'
import { endSlotIn } from './slot-ends.ts'
import { startFiring } from './start-firing.ts'

/** Things that are done at set times, each time in a conversation of its own. */
export function schedulesFeature({ engine, ids, instance, instances, offersModel, logger }: World): Feature {
  const ending = new Set<Promise<void>>()
  const onError = (error: unknown) => logger.warn({ err: error }, 'a scheduled task')
  return {
    name: 'schedules',
    tools: scheduleTools({ engine, ids }),
    isFor: ({ isVisitor }) => !isVisitor,
    routes: (scope, sessions) => scheduleRoutes(scope, { engine, ids, sessions, offersModel }),
    start: (sessions) => startFiring({ engine, ids, sessions, instance, gone: () => instances.gone, onError }),
    afterRun({ session_id }) {
      const ended = endSlotIn(engine, session_id)
        .catch(onError)
        .finally(() => ending.delete(ended))
      ending.add(ended)
    },
    async close() {
      await Promise.all(ending)
    },
  }
}
