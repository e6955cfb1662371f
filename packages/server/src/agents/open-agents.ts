import { join, relative } from 'node:path'
import { AgentError } from '@parley/protocol'
import type { Logger } from 'pino'
import { createSeal } from '../auth/seal.ts'
import type { Engine } from '../store/engine.ts'
import type { Language } from '../words/language.ts'
import { say } from '../words/phrases.ts'
import { AgentFolders } from './agent-folders.ts'
import type { Agents, AgentVersion, ChosenAgent } from './agent-version.ts'
import { type BuiltInSolution, BuiltInSolutions } from './built-in-solutions.ts'
import { Copies } from './copies.ts'
import { AGENTS, type FolderKind, solutionIdOf, SOLUTIONS } from './folder/folder-kind.ts'
import { folderLog } from './folder-log.ts'
import type { LoadOptions } from './load-folder.ts'
import { LoadedMemory } from './loaded-memory.ts'
import { openSolutions, type OpenSolutions } from './open-solutions.ts'
import { currentAgents, findCurrent, holdCurrent, storedDigests } from './version-rows.ts'
import { Versions } from './versions.ts'

/** The agent of sessions that name none; without a folder of this name it is the configuration. */
export const DEFAULT_AGENT = 'default'

const COPIES = 'agent-versions'

export type AgentsOptions = {
  engine: Engine
  dataDir: string
  /** Where the folders of agents are, if any are here. */
  agentsDir?: string | undefined
  /** They need not be there. */
  mayLackAgents?: boolean
  /** The same for solutions. */
  solutionsDir?: string | undefined
  mayLackSolutions?: boolean
  /** Solutions that come with the server. */
  builtIn?: readonly BuiltInSolution[]
  /** For what is stored of agents, and nothing else. */
  key: Buffer
  randomBytes: (size: number) => Buffer
  language: Language
  logger: Logger
}

export type OpenAgents = Agents & {
  versions: Versions
  solutions: OpenSolutions
  /** The version of every agent that new sessions get, but for those that cannot be had. */
  current: () => Promise<AgentVersion[]>
  /** Why the folder of an agent or a solution is not its newest version, if it is not; by the name of its versions. */
  problems: () => ReadonlyMap<string, string>
  /** Loads the folders and goes on watching them, until disposed. */
  start: (checks: Pick<LoadOptions, 'checkTools' | 'warnings'>) => Promise<AsyncDisposable>
}

/** The agents of this server: those of its folders, and those that other instances have loaded. Solutions are agents in roles. */
export function openAgents(options: AgentsOptions): OpenAgents {
  const { engine, dataDir, agentsDir, solutionsDir, builtIn = [], key, randomBytes, language, logger } = options
  const copies = new Copies(join(dataDir, COPIES))
  const versions = new Versions({
    ...{ engine, copies },
    folderOf(name) {
      const id = solutionIdOf(name)
      const directory = id === null ? agentsDir : solutionsDir
      return directory && join(directory, id ?? name)
    },
    seal: createSeal(key, randomBytes),
    onChanged: ({ agent, version }) =>
      logger.warn(say('log.agentCopy', language, { agent, version: version.slice(0, 12) })),
    onError: (error, about) => logger.error({ err: error, ...about }, 'a version of an agent cannot be had'),
  })
  const opened = new Map<FolderKind, AgentFolders>()
  const solutions = openSolutions({
    ...{ engine, versions },
    builtIn: new BuiltInSolutions(builtIn, { engine, versions }),
    folders: () => opened.get(SOLUTIONS),
  })

  const openFolders = async (kind: FolderKind, { directory, mayLack }: FolderPlace, checks: Checks) => {
    const memory = await LoadedMemory.open(join(dataDir, COPIES), directory)
    const shown = shownPath(directory)
    const news = folderLog(options, shown)
    const folders = new AgentFolders({ kind, directory, mayLack, shown, news, engine, versions, memory, ...checks })
    opened.set(kind, folders)
    return folders
  }

  return {
    versions,
    solutions,
    async current() {
      const rows = await engine.read(currentAgents)
      const found = rows.map(({ name, digest }) => versions.find(name, digest).catch(() => undefined))
      return (await Promise.all(found)).filter((version) => version !== undefined)
    },
    of: versions.of,
    ready: versions.ready,
    problems: () =>
      new Map(
        [...opened].flatMap(([kind, folders]) =>
          [...folders.problems].map(([name, problem]) => [kind.storedAs(name), problem] as const),
        ),
      ),
    async start(checks) {
      await copies.sweep(await engine.read(storedDigests), Date.now())
      const { mayLackAgents = false, mayLackSolutions = false } = options
      const running = new AsyncDisposableStack()
      if (agentsDir !== undefined)
        running.use(await openFolders(AGENTS, { directory: agentsDir, mayLack: mayLackAgents }, checks))
      if (solutionsDir !== undefined)
        running.use(await openFolders(SOLUTIONS, { directory: solutionsDir, mayLack: mayLackSolutions }, checks))
      await Promise.all([...opened.values()].map((folders) => folders.start()))
      return running
    },
    async choose({ agent: name, solution_id, biz_role_id, isVisitor }): Promise<ChosenAgent> {
      if (solution_id !== null) return solutions.choose(solution_id, biz_role_id)
      const agent = name ?? DEFAULT_AGENT
      const folders = opened.get(AGENTS)
      await folders?.fresh(agent)
      const digest = solutionIdOf(agent) === null ? await engine.read(() => findCurrent(agent)) : null
      const isConfiguration = digest === null && agent === DEFAULT_AGENT && !(await folders?.hasFolder(agent))
      if (isConfiguration) return { agent: null, agent_digest: null, ...WITHOUT_ROLE }
      const found = digest === null ? undefined : versions.find(agent, digest)
      // Why it cannot be had is told to those only who may know of it.
      const version = await (isVisitor ? found?.catch(() => undefined) : found)
      const mayHave = agent === DEFAULT_AGENT || !isVisitor || version?.settings.visitors === true
      if (!version || !mayHave) throw agentNotAvailable(agent)
      return { agent, agent_digest: digest, ...WITHOUT_ROLE }
    },
    *isStillChosen({ agent, agent_digest }) {
      const current = yield* holdCurrent(engine, agent ?? DEFAULT_AGENT)
      return current === agent_digest || (current === null && solutions.isBuiltIn(agent, agent_digest))
    },
  }
}

type FolderPlace = { directory: string; mayLack: boolean }

type Checks = Pick<LoadOptions, 'checkTools' | 'warnings'>

const WITHOUT_ROLE = { biz_role_id: null, mode: 'executing' } as const

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
