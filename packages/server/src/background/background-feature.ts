import { join } from 'node:path'
import type { Feature, World } from '../feature.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { backgroundTaskRoutes } from './background-task-routes.ts'
import { BackgroundTasks } from './background-tasks.ts'
import { bashOutput, killBash } from './background-tools.ts'

export type BackgroundFeature = Feature & { commands: BackgroundTasks }

/** Commands that go on after the call that started them. */
export function backgroundFeature(world: World, sandbox: Sandbox): BackgroundFeature {
  const { config, engine, journal, clock, ids, instance, instances, logger } = world
  const commands = new BackgroundTasks({
    ...{ engine, journal, clock, ids, sandbox, instance, instances },
    leaseMs: config.leaseMs,
    directory: join(config.dataDir, 'background'),
    onError: (error) => logger.error({ err: error }, 'a background task'),
  })
  return {
    name: 'background',
    commands,
    tools: [bashOutput(commands), killBash(commands)],
    routes: (scope, sessions) =>
      backgroundTaskRoutes(scope, { tasks: commands, demandSession: (user, id) => sessions.get(user, id) }),
    tables: ['background_tasks'],
    dropSession: (session_id) => commands.dropSession(session_id),
    close: () => commands[Symbol.asyncDispose](),
  }
}
