import { AgentError, type SkillSummary } from '@parley/protocol'
import type { ToolDefinition } from '../tools/define-tool.ts'
import { placeFiles } from './place-files.ts'
import { listFiles } from './read-skill.ts'
import { scoreSkill } from './search.ts'
import { SessionSkills } from './session-skills.ts'
import { type Skill, SkillError, summaryOf, workspaceFolder } from './skill.ts'
import { SkillFolders } from './skill-folders.ts'
import { functionToolName, type PythonTools, type SkillFunctions } from './skill-functions.ts'
import { skillTool, skillToolName } from './skill-tool.ts'
import { checkUpload, type SkillUpload } from './upload.ts'

export type SkillsOptions = {
  /** Directories whose skills every session has. Skills of an earlier one go before those of a later one. */
  directories: readonly string[]
  /** Where uploaded skills are kept, e.g. `<dataDir>/skills`; no workspace may contain it. */
  root: string
  language: 'zh' | 'en'
  /** A session's workspace, existing. */
  workspace: (session_id: string) => Promise<string>
  /** What the `tools.py` of a skill brings. */
  python: PythonTools
  /** A function that would be called `name` must be called `prefixed`: another tool, or a rule, has that name. */
  isTaken: (name: string, prefixed: string) => boolean
  /** Milliseconds since 1970. */
  now: () => number
  onWarning: (message: string) => void
  /** The skills of this session are other ones now. */
  onChanged: (session_id: string, skills: SkillSummary[]) => void
}

export type UploadedSkill = {
  name: string
  skill_dir: string
  file_count: number
  overwritten: boolean
  /** What its `tools.py` brings; absent when that is nothing. */
  tools?: ListedFunctions['tools']
  /** Why it brings nothing though it is there. */
  tools_problem?: string
}

type ListedFunctions = { tools: { name: string; description: string }[]; problem?: string }

export type SkillDetail = SkillSummary & {
  content: string
  files: string[]
  tools: { name: string; description: string }[]
}

/** The configured directories are looked at again after this long. */
const FRESH_MS = 1000
/** An upload has some hundred small files at most. */
const PLACE_MS = 60_000
/** Sessions whose tools are kept at hand. */
const MAX_REMEMBERED = 1000

/** All skills: those of the configured directories, and those that were uploaded to a session, which go before them. */
export class Skills {
  readonly #options: SkillsOptions
  readonly #folders: SkillFolders
  readonly #ofSessions: SessionSkills
  readonly #offered = new Map<string, ToolDefinition[]>()
  readonly #warned = new Set<string>()
  #global: { skills: Promise<Skill[]>; at: number } | undefined

  constructor(options: SkillsOptions) {
    this.#options = options
    this.#folders = new SkillFolders(options.directories, options.onWarning)
    this.#ofSessions = new SessionSkills(options.root, options.onWarning)
  }

  /** For every model call: a tool for each skill the session has now, in a stable order. */
  async skillsOf(session_id: string): Promise<ToolDefinition[]> {
    const tools = await this.#toolsOf(() => this.#all(session_id))
    const [oldest] = this.#offered.keys()
    if (this.#offered.size >= MAX_REMEMBERED && oldest !== undefined) this.#offered.delete(oldest)
    this.#offered.delete(session_id)
    this.#offered.set(session_id, tools)
    return tools
  }

  /** What `skillsOf` found last, without a look at the disk; an upload here counts at once. */
  knownOf(session_id: string): readonly ToolDefinition[] {
    return this.#offered.get(session_id) ?? []
  }

  /** The tools that the configured skills are, for every session. */
  async configuredTools(): Promise<ToolDefinition[]> {
    return this.#toolsOf(() => this.#configured())
  }

  async list(): Promise<SkillSummary[]> {
    return this.#summaries(await this.#configured())
  }

  async listOf(session_id: string): Promise<SkillSummary[]> {
    return this.#summaries(await this.#all(session_id))
  }

  async search(query: string, limit: number): Promise<(SkillSummary & { score: number })[]> {
    const scored = (await this.#configured()).map((skill) => ({ skill, score: scoreSkill(skill, query) }))
    return scored
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ skill, score }) => ({ ...summaryOf(skill, this.#options.language), score }))
  }

  async detail(id: string): Promise<SkillDetail> {
    const skill = await this.#find(id)
    return {
      ...summaryOf(skill, this.#options.language),
      content: skill.body,
      files: await listFiles(skill.directory),
      tools: [{ name: skillToolName(id), description: skill.description }, ...(await this.#listed(skill)).tools],
    }
  }

  /**
   * Usable with the next model call. A skill of the same name is replaced as a whole. Whoever is told its folder finds the
   * files there: pages tell the model of it before the model has called the skill.
   */
  async upload(session_id: string, upload: SkillUpload): Promise<UploadedSkill> {
    await checkUpload(upload)
    const { overwritten } = await this.#ofSessions.put(session_id, upload)
    const skill = (await this.#ofSessions.list(session_id)).find(({ id }) => id === upload.name)
    if (skill) await placeFiles(skill, await this.#options.workspace(session_id), AbortSignal.timeout(PLACE_MS))
    await this.skillsOf(session_id)
    this.#options.onChanged(session_id, await this.listOf(session_id))
    const { name, files } = upload
    const { tools, problem } = skill ? await this.#listed(skill, await this.#all(session_id)) : { tools: [] }
    return {
      ...{ name, skill_dir: workspaceFolder(name), file_count: files.length, overwritten },
      ...(tools.length > 0 && { tools }),
      ...(problem !== undefined && { tools_problem: problem }),
    }
  }

  /** Looks at everything again now. */
  async resync(session_id: string): Promise<SkillSummary[]> {
    this.#global = undefined
    await this.skillsOf(session_id)
    const skills = await this.listOf(session_id)
    this.#options.onChanged(session_id, skills)
    return skills
  }

  /** Configured skills are in every session already: this only says which one it is. */
  async install(id: string): Promise<SkillSummary> {
    return summaryOf(await this.#find(id), this.#options.language)
  }

  /** What a session's skills are, and how often each was called. */
  async stats(
    session_id: string,
    calls: Readonly<Record<string, number>>,
  ): Promise<{ id: string; name: string; tool_count: number; calls: number }[]> {
    const skills = await this.#all(session_id)
    return Promise.all(
      skills.map(async (skill) => {
        const names = [skillToolName(skill.id), ...(await this.#listed(skill, skills)).tools.map(({ name }) => name)]
        const total = names.reduce((sum, name) => sum + (calls[name] ?? 0), 0)
        return { id: skill.id, name: skill.name, tool_count: names.length, calls: total }
      }),
    )
  }

  /** With the session itself. */
  async removeOf(session_id: string): Promise<void> {
    this.#offered.delete(session_id)
    await this.#ofSessions.remove(session_id)
  }

  /** A tool for each skill, and those of its functions. */
  async #toolsOf(current: () => Promise<Skill[]>): Promise<ToolDefinition[]> {
    const { python } = this.#options
    const skills = await current()
    const find = async (id: string) => {
      const skill = (await current()).find((each) => each.id === id)
      if (!skill) throw new SkillError(`The skill ${id} is no longer installed.`)
      return skill
    }
    const tools: ToolDefinition[] = []
    for (const skill of skills) {
      tools.push(skillTool(skill, current, async (now) => aboutTools(await this.#listed(now, await current()))))
      const { functions } = await this.#functionsOf(skill)
      const nameOf = await this.#naming(skill, skills)
      const directory = async () => (await find(skill.id)).directory
      for (const each of functions) tools.push(python.tool(nameOf(each.name), each, directory))
    }
    return tools
  }

  /** The functions of a skill as people are told of them. */
  async #listed(skill: Skill, among: readonly Skill[] = [skill]): Promise<ListedFunctions> {
    const { functions, problem } = await this.#functionsOf(skill)
    const nameOf = await this.#naming(skill, among)
    const tools = functions.map(({ name, description }) => ({ name: nameOf(name), description }))
    return { tools, ...(problem !== undefined && { problem: `tools.py: ${problem}` }) }
  }

  /** Where two skills have a function of the same name, neither keeps it: nobody shall get the other's by chance. */
  async #naming(skill: Skill, among: readonly Skill[]): Promise<(name: string) => string> {
    const others = new Set<string>()
    for (const other of among)
      if (other.id !== skill.id) for (const { name } of (await this.#functionsOf(other)).functions) others.add(name)
    const { isTaken } = this.#options
    return (name) => functionToolName(skill.id, name, (own, prefixed) => others.has(own) || isTaken(own, prefixed))
  }

  async #functionsOf(skill: Skill): Promise<SkillFunctions> {
    const found = await this.#options.python.functionsOf(skill)
    const warning = `The tools.py of the skill ${skill.id} is not used: ${found.problem}`
    if (found.problem === undefined || skill.source === 'session' || this.#warned.has(warning)) return found
    this.#warned.add(warning)
    this.#options.onWarning(warning)
    return found
  }

  async #all(session_id: string): Promise<Skill[]> {
    const [own, configured] = await Promise.all([this.#ofSessions.list(session_id), this.#configured()])
    const ids = new Set(own.map(({ id }) => id))
    return [...own, ...configured.filter(({ id }) => !ids.has(id))].sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  async #configured(): Promise<Skill[]> {
    const now = this.#options.now()
    if (!this.#global || now - this.#global.at >= FRESH_MS) this.#global = { skills: this.#folders.list(), at: now }
    return this.#global.skills
  }

  async #find(id: string): Promise<Skill> {
    const skill = (await this.#configured()).find((each) => each.id === id)
    if (!skill) throw new AgentError('not_found', `There is no skill ${id}. GET /api/skills lists them.`)
    return skill
  }

  #summaries(skills: readonly Skill[]): SkillSummary[] {
    return skills.map((skill) => summaryOf(skill, this.#options.language))
  }
}

/** For the model, below the skill's text. */
function aboutTools({ tools, problem }: ListedFunctions): string {
  if (problem !== undefined) return `\n\nThe tools of this skill cannot be called here. ${problem}`
  if (tools.length === 0) return ''
  return `\n\nTools of this skill, which you can call: ${tools.map(({ name }) => name).join(', ')}`
}
