import { join, relative } from 'node:path'
import { AgentError } from '@parley/protocol'
import type { Logger } from 'pino'
import { createSeal } from '../auth/seal.ts'
import type { Engine } from '../store/engine.ts'
import type { Language } from '../words/language.ts'
import { say } from '../words/phrases.ts'
import { AgentFolders } from './agent-folders.ts'
import type { Agents } from './agent-version.ts'
import { Copies } from './copies.ts'
import { folderLog } from './folder-log.ts'
import type { LoadOptions } from './load-folder.ts'
import { LoadedMemory } from './loaded-memory.ts'
import { findCurrent, holdCurrent, storedDigests } from './version-rows.ts'
import { Versions } from './versions.ts'

/** The agent of sessions that name none; without a folder of this name it is the configuration. */
export const DEFAULT_AGENT = 'default'

const COPIES = 'agent-versions'

export type AgentsOptions = {
  engine: Engine
  dataDir: string
  /** Where the folders of agents are, if any are here. */
  agentsDir: string | undefined
  /** They need not be there. */
  mayLackAgents?: boolean
  /** For what is stored of agents, and nothing else. */
  key: Buffer
  randomBytes: (size: number) => Buffer
  language: Language
  logger: Logger
}

export type OpenAgents = Agents & {
  versions: Versions
  /** Why the folder of an agent is not its newest version, if it is not. */
  problems: () => ReadonlyMap<string, string>
  /** Loads the folders and goes on watching them, until disposed. */
  start: (checks: Pick<LoadOptions, 'checkTools' | 'warnings'>) => Promise<AsyncDisposable>
}

/** The agents of this server: those of its folders, and those that other instances have loaded. */
export function openAgents(options: AgentsOptions): OpenAgents {
  const { engine, dataDir, agentsDir, mayLackAgents: mayLack = false, key, randomBytes, language, logger } = options
  const copies = new Copies(join(dataDir, COPIES))
  const versions = new Versions({
    ...{ engine, copies, folders: agentsDir },
    seal: createSeal(key, randomBytes),
    onChanged: ({ agent, version }) =>
      logger.warn(say('log.agentCopy', language, { agent, version: version.slice(0, 12) })),
    onError: (error, about) => logger.error({ err: error, ...about }, 'a version of an agent cannot be had'),
  })
  let folders: AgentFolders | undefined
  return {
    versions,
    of: versions.of,
    ready: versions.ready,
    problems: () => folders?.problems ?? new Map(),
    async start(checks) {
      await copies.sweep(await engine.read(storedDigests), Date.now())
      if (agentsDir === undefined) return { [Symbol.asyncDispose]: async () => undefined }
      const memory = await LoadedMemory.open(join(dataDir, COPIES), agentsDir)
      const shown = shownPath(agentsDir)
      const news = folderLog(options, shown)
      folders = new AgentFolders({ directory: agentsDir, mayLack, shown, news, engine, versions, memory, ...checks })
      await folders.start()
      return folders
    },
    async choose({ name, isVisitor }) {
      const agent = name ?? DEFAULT_AGENT
      await folders?.fresh(agent)
      const digest = await engine.read(() => findCurrent(agent))
      const isConfiguration = digest === null && agent === DEFAULT_AGENT && !(await folders?.hasFolder(agent))
      if (isConfiguration) return { agent: null, agent_digest: null }
      const found = digest === null ? undefined : versions.find(agent, digest)
      // Why it cannot be had is told to those only who may know of it.
      const version = await (isVisitor ? found?.catch(() => undefined) : found)
      const mayHave = agent === DEFAULT_AGENT || !isVisitor || version?.settings.visitors === true
      if (!version || !mayHave) throw agentNotAvailable(agent)
      return { agent, agent_digest: digest }
    },
    *isStillChosen({ agent, agent_digest }) {
      return (yield* holdCurrent(engine, agent ?? DEFAULT_AGENT)) === agent_digest
    },
  }
}

function agentNotAvailable(agent: string): AgentError {
  return new AgentError('agent_not_available', `There is no agent ${agent}; GET /api/agents lists those that are.`, {
    details: { agent },
  })
}

/** As a person in the directory of the server's start would write it. */
function shownPath(directory: string): string {
  const path = relative(process.cwd(), directory)
  return path === '' || path.startsWith('..') ? directory : path
}
