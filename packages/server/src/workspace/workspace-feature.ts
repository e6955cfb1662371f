import { randomUUID } from 'node:crypto'
import type { Feature, World } from '../feature.ts'
import { ChangeLimit } from './change-limit.ts'
import { startWorkspaceCleaner } from './cleaner.ts'
import { workspaceMarker } from './marker.ts'
import { removeWorkspace } from './remove-tree.ts'
import { workspaceRoutes, type WorkspaceRoutesOptions } from './workspace-routes.ts'

export type WorkspaceFeature = Feature & {
  /** Whether all instances of this deployment have the workspaces that this one has. */
  isShared: () => Promise<boolean>
}

const CHANGED = 'workspace:files_changed'

/** The files of sessions: over REST, cleaned when nobody uses them, gone with their session. */
export async function workspaceFeature(
  world: World,
  { beforeWrite }: Pick<WorkspaceRoutesOptions, 'beforeWrite'>,
): Promise<WorkspaceFeature> {
  const { config, engine, clock, logger, workspaces, tell } = world
  const { directory } = workspaces
  const marker = await workspaceMarker({ engine, directory, randomUUID })
  const place = await marker.check()
  if (!place.isShared) logger.error(place.message)
  const isShared = async () => (await marker.check()).isShared
  const changes = new ChangeLimit({
    now: () => clock.elapsed(),
    many: (session_id) => tell(session_id, CHANGED, { file_path: null }),
  })
  const cleaner = startWorkspaceCleaner({
    engine,
    directory,
    now: Date.now,
    days: config.workspaceDays,
    mayClean: isShared,
    onError: (error) => logger.warn({ err: error }, 'workspaces could not be cleaned'),
  })
  return {
    name: 'workspace',
    isShared,
    routes: (scope, sessions) =>
      workspaceRoutes(scope, {
        async workspaceOf(user, session_id) {
          await sessions.get(user, session_id)
          return workspaces.make(session_id)
        },
        beforeWrite,
        changed: (session_id, file_path) => changes.report(session_id, () => tell(session_id, CHANGED, { file_path })),
      }),
    slowDown: (session_id, telling) => (event, payload) =>
      event === CHANGED ? changes.report(session_id, () => telling(event, payload)) : telling(event, payload),
    dropSession: (session_id) => removeWorkspace(directory, session_id),
    async close() {
      changes[Symbol.dispose]()
      await cleaner[Symbol.asyncDispose]()
    },
  }
}
