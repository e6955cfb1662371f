import type { Feature, World } from '../feature.ts'
import { startWorkspaceCleaner } from '../workspace/cleaner.ts'
import { removeWorkspace } from '../workspace/remove-tree.ts'
import type { Snapshots } from './snapshots.ts'

export type SnapshotsFeatureOptions = {
  snapshots: Snapshots
  /** Whether the workspaces are this deployment's: their neighbours are, too. */
  isShared: () => Promise<boolean>
}

/** Earlier states of workspaces: taken before they change, cleaned with them, gone with their session. */
export function snapshotsFeature(
  { engine, config, logger }: World,
  { snapshots, isShared }: SnapshotsFeatureOptions,
): Feature {
  const { directory } = snapshots
  const cleaner = startWorkspaceCleaner({
    ...{ engine, directory, now: Date.now, days: config.workspaceDays, mayClean: isShared },
    onError: (error) => logger.warn({ err: error }, 'states of workspaces could not be cleaned'),
  })
  return {
    name: 'snapshots',
    tables: ['workspace_states'],
    dropSession: (session_id) => removeWorkspace(directory, session_id),
    close: async () => cleaner[Symbol.asyncDispose](),
  }
}
