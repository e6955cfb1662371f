import { join } from 'node:path'
import type { Feature, World } from '../../feature.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { startWorkspaceCleaner } from '../../workspace/cleaner.ts'
import { removeWorkspace } from '../../workspace/remove-tree.ts'
import { analyseByCode } from './analyse-by-code.ts'
import { displayResult } from './display-result.ts'
import { languagesHere } from './languages.ts'

export type AnalysisOptions = {
  sandbox: Sandbox
  /** Whether the workspaces are this deployment's: their neighbours are, too. */
  isShared: () => Promise<boolean>
}

/** Beside the workspaces, not in them: no command of a session may put something else in a directory's place. */
const FOLDER = '.analyses'

/** Analyses by code. Without a sandbox they are not offered; what there was before can still be shown. */
export function analysisFeature(world: World, { sandbox, isShared }: AnalysisOptions): Feature {
  const { engine, workspaces, config, logger } = world
  const directory = join(workspaces.directory, FOLDER)
  const cleaner = startWorkspaceCleaner({
    ...{ engine, directory, now: Date.now, days: config.workspaceDays, mayClean: isShared },
    onError: (error) => logger.warn({ err: error }, 'directories of analyses could not be cleaned'),
  })
  const analyse = analyseByCode({ ...world, sandbox, directory, languages: languagesHere() })
  return {
    name: 'analysis',
    tools: sandbox.level === 'none' ? [] : [analyse, displayResult({ engine })],
    tables: ['analyses'],
    dropSession: (session_id) => removeWorkspace(directory, session_id),
    close: async () => cleaner[Symbol.asyncDispose](),
  }
}
