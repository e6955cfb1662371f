import { AgentError, type SkillSummary } from '@parley/protocol'
import type { ToolDefinition } from '../tools/define-tool.ts'
import { placeFiles } from './place-files.ts'
import { listFiles } from './read-skill.ts'
import { scoreSkill } from './search.ts'
import { SessionSkills } from './session-skills.ts'
import { type Skill, summaryOf, workspaceFolder } from './skill.ts'
import { SkillFolders } from './skill-folders.ts'
import { skillToolName } from './skill-tool.ts'
import { type ListedFunctions, SkillTools, type SkillToolsOptions } from './skill-tools.ts'
import { checkUpload, type SkillUpload } from './upload.ts'

export type SkillsOptions = SkillToolsOptions & {
  /** Directories whose skills every session has. Skills of an earlier one go before those of a later one. */
  directories: readonly string[]
  /** Where uploaded skills are kept, e.g. `<dataDir>/skills`; no workspace may contain it. */
  root: string
  language: 'zh' | 'en'
  /** A session's workspace, existing. */
  workspace: (session_id: string) => Promise<string>
  /** Milliseconds since 1970. */
  now: () => number
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
  readonly #tools: SkillTools
  readonly #offered = new Map<string, ToolDefinition[]>()
  #global: { skills: Promise<Skill[]>; at: number } | undefined

  constructor(options: SkillsOptions) {
    this.#options = options
    this.#tools = new SkillTools(options)
    this.#folders = new SkillFolders(options.directories, options.onWarning)
    this.#ofSessions = new SessionSkills(options.root, options.onWarning)
  }

  /** For every model call: a tool for each skill the session has now, in a stable order. */
  async skillsOf(session_id: string): Promise<ToolDefinition[]> {
    const tools = await this.#tools.toolsOf(() => this.#all(session_id))
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
    return this.#tools.toolsOf(() => this.#configured())
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
      tools: [{ name: skillToolName(id), description: skill.description }, ...(await this.#tools.listed(skill)).tools],
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
    const { tools, problem } = skill ? await this.#tools.listed(skill, await this.#all(session_id)) : { tools: [] }
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
        const names = [
          skillToolName(skill.id),
          ...(await this.#tools.listed(skill, skills)).tools.map(({ name }) => name),
        ]
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
