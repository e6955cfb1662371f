import { relative } from 'node:path'
import type { ToolNames } from '../words/rewording.ts'
import { namesOf, type ToolOwner, type ToolSource } from '../tools/catalog.ts'
import type { ToolDefinition } from '../tools/define-tool.ts'
import type { OwnFeature } from '../tools/own/own-feature.ts'
import type { ToolFiles } from '../tools/own/tool-files.ts'
import type { AgentVersion } from './agent-version.ts'

export type AgentToolsOptions = {
  own: Pick<OwnFeature, 'toolsOf'> & { processes: Pick<OwnFeature['processes'], 'list'> }
  /** Where packages are looked for when the folder of an agent has none. */
  project: string
  /** Right before files of a version are run: its copy is what was stored, or this throws. */
  verify: (agent: AgentVersion) => Promise<void>
  /** Milliseconds since some moment. */
  now: () => number
  onProblem: (agent: AgentVersion, problem: string) => void
}

/** `problems`: a line each, which begins with the path in the agent's folder. */
type Listed = { tools: readonly ToolDefinition[]; problems: readonly string[] }

const NOTHING: Listed = { tools: [], problems: [] }
/** Versions, and sessions, whose tools are kept at hand. */
const MAX_REMEMBERED = 1_000
/** What went wrong may have been a busy machine: it is tried again after this long. */
const AGAIN_MS = 60_000

/** The tools of agents' own files, by version: they are listed once, and run in processes of their own. */
export class AgentTools implements ToolSource {
  readonly #options: AgentToolsOptions
  readonly #known = new Map<string, Listed & { at: number }>()
  readonly #listing = new Map<string, Promise<Listed>>()
  readonly #sessions = new Map<string, AgentVersion>()
  readonly #warned = new Set<string>()
  readonly #closing = new AbortController()

  constructor(options: AgentToolsOptions) {
    this.#options = options
  }

  /** Those that were found last. */
  of({ agent }: Pick<ToolOwner, 'agent'>): readonly ToolDefinition[] {
    return agent === null ? [] : (this.#known.get(agent.digest)?.tools ?? [])
  }

  /** None of them is in every session. */
  async listed(): Promise<never[]> {
    return []
  }

  /** Before a run. Says what is wrong, and leaves it out. */
  async refresh({ session_id, agent }: ToolOwner): Promise<void> {
    if (agent === null || agent.toolFiles.length === 0) return
    remember(this.#sessions, session_id, agent)
    const { problems } = await this.list(agent)
    // What is wrong with a folder was said when it was loaded; this went wrong here, or since.
    if (problems.length > 0 && this.#warned.size < MAX_REMEMBERED && !this.#warned.has(agent.digest)) {
      this.#warned.add(agent.digest)
      for (const problem of problems) this.#options.onProblem(agent, problem)
    }
  }

  async list(agent: AgentVersion): Promise<Listed> {
    const { digest, toolFiles } = agent
    if (toolFiles.length === 0) return NOTHING
    const known = this.#known.get(digest)
    if (known && (known.problems.length === 0 || this.#options.now() - known.at < AGAIN_MS)) return known
    const listing = this.#listing.get(digest) ?? this.#list(agent).finally(() => this.#listing.delete(digest))
    this.#listing.set(digest, listing)
    return listing
  }

  readonly names: ToolNames = (session_id, called) => {
    const agent = this.#sessions.get(session_id)
    return agent && namesOf(this.of({ agent })).get(called)
  }

  /** Ends what is being listed, which throws. */
  close(): void {
    this.#closing.abort(new Error('The server is stopping.'))
  }

  async #list(agent: AgentVersion): Promise<Listed> {
    const { own, now, verify } = this.#options
    const source = this.#sourceOf(agent)
    await verify(agent)
    const found = await own.processes.list(source, this.#closing.signal)
    const problems = found.problems.map(({ file, line, column, message }) => {
      const place = [shown(agent, file), line, column].filter((part) => part !== undefined)
      return `${place.join(':')}: ${message}`
    })
    const tools = own.toolsOf(source, found.tools).map((tool) => verified(tool, () => verify(agent)))
    const listed = { tools, problems }
    remember(this.#known, agent.digest, { ...listed, at: now() })
    return listed
  }

  #sourceOf({ directory, origin, toolFiles }: AgentVersion): ToolFiles {
    const { project } = this.#options
    return { files: toolFiles, project, ...(origin !== null && { moved: { from: origin, to: directory } }) }
  }
}

/** Its process may be a new one, or may import something late. */
function verified(tool: ToolDefinition, verify: () => Promise<void>): ToolDefinition {
  return {
    ...tool,
    async run(input, context) {
      await verify()
      return tool.run(input, context)
    },
  }
}

/** The path in the agent's folder, of a file there or in its copy. */
function shown({ directory, origin }: AgentVersion, file: string): string {
  const inOrigin = origin === null ? '..' : relative(origin, file)
  return inOrigin.startsWith('..') ? relative(directory, file) : inOrigin
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  const [oldest] = map.keys()
  if (map.size >= MAX_REMEMBERED && oldest !== undefined) map.delete(oldest)
  map.delete(key)
  map.set(key, value)
}
