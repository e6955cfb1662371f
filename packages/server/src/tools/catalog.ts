import type { AgentVersion } from '../agents/agent-version.ts'
import { matches } from '../confirm/policy.ts'
import type { Language } from '../words/language.ts'
import type { ToolNames } from '../words/rewording.ts'
import type { ToolDefinition } from './define-tool.ts'
import { listedTool, type ToolEntry } from './listed-tool.ts'
import { loopTools, submitResult } from './loop-tools.ts'

/** Tools of every session, or such as come and go. */
export type ToolGroup = readonly ToolDefinition[] | ToolSource

/** Whose tools are asked for: a session, and the version of the agent that it is of; `null`: the configuration itself. */
export type ToolOwner = { session_id: string; agent: AgentVersion | null }

/** Tools that come and go: those of foreign servers, those of skills, those of agents. */
export type ToolSource = {
  /** What a session has right now. */
  of: (owner: ToolOwner) => readonly ToolDefinition[]
  /** Before a run: looks what there is, and waits for tools that `called` names, which a start may outrun. */
  refresh: (owner: ToolOwner, called: readonly string[]) => Promise<unknown>
  /** What must not go away while a run is under way; until disposed. */
  hold?: (owner: ToolOwner) => Disposable | null
  /** What there is in every session, for people. */
  listed: (language: Language) => Promise<ToolEntry[]>
  /** Absent: they have only the one name that they brought. */
  names?: ToolNames
}

/** Every tool there is, in the order models get it. */
export class ToolCatalog {
  /** Those of every session. One that an embedding program brings along takes the place of ours with the same name. */
  readonly fixed: readonly ToolDefinition[]
  readonly #sources: readonly ToolSource[]
  readonly #names: ReturnType<typeof namesOf>

  constructor(groups: readonly ToolGroup[]) {
    const fixed = groups.flatMap((group) => (isSource(group) ? [] : group))
    this.fixed = lastOfEachName(fixed)
    this.#sources = groups.filter(isSource)
    this.#names = namesOf([...this.fixed, ...loopTools, submitResult])
  }

  /** Without those that come and go. */
  get count(): number {
    return this.fixed.length + loopTools.length
  }

  /** Whether every session has a tool of this name. */
  has(name: string): boolean {
    return [...this.fixed, ...loopTools].some((tool) => tool.name === name)
  }

  /** Whether anything that people are told of has this name, also what comes and goes. */
  async isListed(name: string): Promise<boolean> {
    return (await this.listed('en')).some((tool) => tool.name === name)
  }

  /** A session's. What its agent brings takes the place of others with the same name. */
  of(owner: ToolOwner): readonly ToolDefinition[] {
    const { agent } = owner
    const others = this.#sources.flatMap((source) => source.of(owner))
    return agent === null
      ? firstOfEachName([...this.fixed, ...others])
      : lastOfEachName([...this.fixed.filter(({ name }) => grants(agent, name)), ...others])
  }

  async refresh(owner: ToolOwner, called: readonly string[]): Promise<void> {
    if (owner.agent === null) await Promise.all(this.#sources.map((source) => source.refresh(owner, called)))
    // One after another: what an agent brings has its names before skills choose theirs.
    else for (const source of this.#sources) await source.refresh(owner, called)
  }

  /** Keeps what a run needs until it is disposed. */
  hold(owner: ToolOwner): Disposable {
    const held = new DisposableStack()
    for (const source of this.#sources) held.use(source.hold?.(owner) ?? null)
    return held
  }

  async listed(language: Language): Promise<ToolEntry[]> {
    const ours = [...this.fixed, ...loopTools].map((tool) => listedTool(tool, language))
    const others = await Promise.all(this.#sources.map((source) => source.listed(language)))
    return [...ours, ...others.flat()]
  }

  /** What tools are called, for people. */
  readonly names: ToolNames = (session_id, called) => {
    const known = this.#names.get(called)
    if (known) return known
    for (const source of this.#sources) {
      const found = source.names?.(session_id, called)
      if (found) return found
    }
    return undefined
  }
}

/** Whether an agent has a tool that is the server's, not one of its own folder. */
export function grants(agent: AgentVersion | null, name: string): boolean {
  const tools = agent?.settings.tools
  return tools === undefined || tools.some((pattern) => matches(pattern, name))
}

/** By the name that programs use, and by those that people read. */
export function namesOf(tools: readonly Pick<ToolDefinition, 'name' | 'display_name'>[]) {
  const called = ({ name, display_name }: (typeof tools)[number]) =>
    [display_name.zh, display_name.en, name].map((key) => [key, display_name] as const)
  return new Map(tools.flatMap(called))
}

/** No model takes two of a name: what comes later, a skill's function that nobody has renamed yet, waits. */
function firstOfEachName(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const names = new Set<string>()
  return tools.filter(({ name }) => !names.has(name) && names.add(name))
}

function lastOfEachName(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const last = new Map(tools.map((tool) => [tool.name, tool]))
  return tools.filter((tool) => last.get(tool.name) === tool)
}

function isSource(group: ToolGroup): group is ToolSource {
  return 'of' in group
}
