import { join } from 'node:path'
import { AgentError, type SkillSummary } from '@parley/protocol'
import type { SkillSnapshot } from '@parley/protocol/rest'
import { skillSummarySchema } from '@parley/protocol/schemas'
import { z } from 'zod'
import type { AgentVersion } from '../agents/agent-version.ts'
import { grants, type ToolOwner } from '../tools/catalog.ts'
import type { ToolDefinition } from '../tools/define-tool.ts'
import { resolveLinks } from './links.ts'
import { placeFiles } from './place-files.ts'
import { listFiles, readSkill } from './read-skill.ts'
import { scoreSkill } from './search.ts'
import { SessionSkills } from './session-skills.ts'
import { type Skill, summaryOf, workspaceFolder } from './skill.ts'
import { SkillFolders } from './skill-folders.ts'
import { skillToolName } from './skill-tool.ts'
import { SkillTools, type SkillToolsOptions } from './skill-tools.ts'
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

const toolNames = z.array(z.object({ name: z.string(), description: z.string() }))

export const uploadedSkillSchema = z.object({
  name: z.string(),
  skill_dir: z.string(),
  file_count: z.int(),
  overwritten: z.boolean(),
  /** What its `tools.py` brings; absent when that is nothing. */
  tools: toolNames.optional(),
  /** Why it brings nothing though it is there. */
  tools_problem: z.string().optional(),
})
export type UploadedSkill = z.infer<typeof uploadedSkillSchema>

export const skillDetailSchema = z.object({
  ...skillSummarySchema.shape,
  content: z.string(),
  files: z.array(z.string()),
  tools: toolNames,
})
export type SkillDetail = z.infer<typeof skillDetailSchema>

/** The configured directories are looked at again after this long. */
const FRESH_MS = 1000
/** An upload has some hundred small files at most. */
const PLACE_MS = 60_000
/** Sessions whose tools are kept at hand. */
const MAX_REMEMBERED = 1000

/** All skills: those of the configured directories, those of agents, and those that were uploaded to a session. */
export class Skills {
  readonly #options: SkillsOptions
  readonly #folders: SkillFolders
  readonly #ofSessions: SessionSkills
  readonly #tools: SkillTools
  readonly #offered = new Map<string, ToolDefinition[]>()
  /** By the folder of a version. */
  readonly #ofAgents = new Map<string, Promise<Skill[]>>()
  #global: { skills: Promise<Skill[]>; at: number } | undefined

  constructor(options: SkillsOptions) {
    this.#options = options
    this.#tools = new SkillTools(options)
    this.#folders = new SkillFolders(options.directories, options.onWarning)
    this.#ofSessions = new SessionSkills(options.root, options.onWarning)
  }

  /** For every model call: a tool for each skill the session has now, in a stable order. */
  async skillsOf(owner: ToolOwner): Promise<ToolDefinition[]> {
    const { session_id, agent } = owner
    const tools = await this.#tools.toolsOf(() => this.#all(owner), agent)
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
    return this.#tools.toolsOf(() => this.#configured(), null)
  }

  /** Names are in the reader's language where one is given, as everywhere here; else in the server's. */
  async list(language = this.#options.language): Promise<SkillSummary[]> {
    return (await this.#configured()).map((skill) => summaryOf(skill, language))
  }

  async listOf(owner: ToolOwner, language = this.#options.language): Promise<SkillSummary[]> {
    return (await this.#all(owner)).map((skill) => summaryOf(skill, language))
  }

  async search(
    query: string,
    limit: number,
    language = this.#options.language,
  ): Promise<(SkillSummary & { score: number })[]> {
    const scored = (await this.#configured()).map((skill) => ({ skill, score: scoreSkill(skill, query) }))
    return scored
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ skill, score }) => ({ ...summaryOf(skill, language), score }))
  }

  async detail(id: string, language = this.#options.language): Promise<SkillDetail> {
    const skill = await this.#find(id)
    return {
      ...summaryOf(skill, language),
      content: skill.body,
      files: await listFiles(skill.directory),
      tools: [
        { name: skillToolName(id), description: skill.description },
        ...(await this.#tools.listed(skill, [skill], null)).tools,
      ],
    }
  }

  /**
   * Usable with the next model call. A skill of the same name is replaced as a whole. Whoever is told its folder finds the
   * files there: pages tell the model of it before the model has called the skill.
   */
  async upload(owner: ToolOwner, upload: SkillUpload): Promise<UploadedSkill> {
    const { session_id } = owner
    await checkUpload(upload)
    const { overwritten } = await this.#ofSessions.put(session_id, upload)
    const skill = (await this.#ofSessions.list(session_id)).find(({ id }) => id === upload.name)
    if (skill) await placeFiles(skill, await this.#options.workspace(session_id), AbortSignal.timeout(PLACE_MS))
    await this.skillsOf(owner)
    this.#options.onChanged(session_id, await this.listOf(owner))
    const { name, files } = upload
    const { tools, problem } = skill
      ? await this.#tools.listed(skill, await this.#all(owner), owner.agent)
      : { tools: [] }
    return {
      ...{ name, skill_dir: workspaceFolder(name), file_count: files.length, overwritten },
      ...(tools.length > 0 && { tools }),
      ...(problem !== undefined && { tools_problem: problem }),
    }
  }

  /** Looks at everything again now. */
  async resync(owner: ToolOwner, language = this.#options.language): Promise<SkillSummary[]> {
    this.#global = undefined
    await this.skillsOf(owner)
    this.#options.onChanged(owner.session_id, await this.listOf(owner))
    return this.listOf(owner, language)
  }

  /** What a session may have of the configured skills it has already: this only says which one it is. */
  async install(id: string, owner: ToolOwner, language = this.#options.language): Promise<SkillSummary> {
    const skill = await this.#find(id)
    if (!(await this.#all(owner)).some((one) => one.id === id))
      throw new AgentError('forbidden', `The agent of this session does not have the skill ${id}.`)
    return summaryOf(skill, language)
  }

  /** A skill for a session that begins with it: as it is now, with its files in the workspace. Throws `invalid_payload`. */
  async begin(id: string, owner: ToolOwner): Promise<SkillSnapshot> {
    const skills = await this.#all(owner)
    const skill = skills.find((each) => each.id === id)
    if (!skill) {
      const msg = `There is no skill ${id} for this session. GET /api/skills lists those of all.`
      throw new AgentError('invalid_payload', `primary_skill_id: ${msg}`, {
        details: { errors: [{ loc: ['primary_skill_id'], msg }] },
      })
    }
    const workspace = await this.#options.workspace(owner.session_id)
    const files = await placeFiles(skill, workspace, AbortSignal.timeout(PLACE_MS))
    const content = resolveLinks(skill, skills, skillToolName)
    return { ...summaryOf(skill, this.#options.language), content, files }
  }

  /** What is wrong with the skills of an agent's folder: lines that begin with the path in it. */
  async warningsOf({ directory, files }: AgentVersion): Promise<string[]> {
    const skills = files.flatMap((path) => /^(skills\/.+)\/SKILL\.md$/.exec(path)?.[1] ?? [])
    const found = await Promise.all(
      skills.map(async (path) => {
        const where = {
          id: path.slice('skills/'.length),
          source: 'solution' as const,
          directory: join(directory, path),
        }
        try {
          const { problem } = await this.#options.services.functionsOf(await readSkill(where))
          return problem?.split('\n').map((line) => `${path}/${line}`) ?? []
        } catch (error) {
          return [`${path}/SKILL.md: the skill is left out: ${(error as Error).message}`]
        }
      }),
    )
    return found.flat()
  }

  /** What a session's skills are, and how often each was called. */
  async stats(
    owner: ToolOwner,
    calls: Readonly<Record<string, number>>,
  ): Promise<{ id: string; name: string; tool_count: number; calls: number }[]> {
    const skills = await this.#all(owner)
    return Promise.all(
      skills.map(async (skill) => {
        const names = [
          skillToolName(skill.id),
          ...(await this.#tools.listed(skill, skills, owner.agent)).tools.map(({ name }) => name),
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

  /** Uploaded ones go before those of the agent's folder, and those before the configured ones that the agent has. */
  async #all({ session_id, agent }: ToolOwner): Promise<Skill[]> {
    const [own, brought, configured] = await Promise.all([
      this.#ofSessions.list(session_id),
      agent?.skills ? this.#brought(agent.skills) : [],
      this.#configured(),
    ])
    const granted = configured.filter(
      ({ id }) => agent?.importedSkills?.includes(id) ?? grants(agent, skillToolName(id)),
    )
    const local = brought.filter(({ id }) => agent?.localSkills?.includes(id) ?? true)
    const byId = new Map([...granted, ...local, ...own].map((skill) => [skill.id, skill]))
    return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  /** Of a version's copy, which nobody changes: read once. */
  #brought(directory: string): Promise<Skill[]> {
    const known = this.#ofAgents.get(directory)
    if (known) return known
    const [oldest] = this.#ofAgents.keys()
    if (this.#ofAgents.size >= MAX_REMEMBERED && oldest !== undefined) this.#ofAgents.delete(oldest)
    const skills = new SkillFolders([directory], this.#options.onWarning, 'solution').list()
    this.#ofAgents.set(directory, skills)
    return skills
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
}
