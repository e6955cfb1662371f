import type { Logger } from 'pino'
import type { Language } from '../words/language.ts'
import { say } from '../words/phrases.ts'
import { solutionIdOf } from './folder/folder-kind.ts'
import type { Loaded } from './load-folder.ts'

/** What happens to the folders of agents. */
export type FolderNews = {
  onLoaded: (loaded: Loaded) => void
  onRemoved: (agent: string) => void
  /** Once per change: a line for each mistake, which begins with its path. */
  onProblem: (problem: string, agent?: string) => void
  /** The database or the disk, and nobody's mistake in a folder. */
  onError: (error: unknown) => void
}

/** As log lines, in which people find paths. `shown`: how the directory of all folders is written. */
export function folderLog({ logger, language }: { logger: Logger; language: Language }, shown: string): FolderNews {
  return {
    onLoaded({ version, isCurrent, isNewHere, warnings }) {
      const values = { agent: version.name, version: version.digest.slice(0, 12) }
      if (isNewHere) logger.info(say(isCurrent ? 'log.agentLoaded' : 'log.agentNotCurrent', language, values))
      for (const warning of warnings) logger.warn(`${shown}/${solutionIdOf(version.name) ?? version.name}/${warning}`)
    },
    onRemoved: (agent) => logger.info(say('log.agentRemoved', language, { agent })),
    onProblem: (problem, agent) =>
      logger.warn(agent === undefined ? problem : say('log.agentProblem', language, { agent, problem })),
    onError: (error) => logger.error({ err: error }, 'the folders of agents could not be looked at'),
  }
}
