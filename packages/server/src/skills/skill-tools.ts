import type { ToolOwner } from '../tools/catalog.ts'
import type { ToolDefinition } from '../tools/define-tool.ts'
import { type Skill, SkillError } from './skill.ts'
import { functionToolName, type PythonTools, type SkillFunctions } from './skill-functions.ts'
import { skillTool } from './skill-tool.ts'

type Agent = ToolOwner['agent']

export type SkillToolsOptions = {
  /** What the `tools.py` of a skill brings. */
  python: PythonTools
  /** A function that would be called `name` must be called `prefixed`: another tool, or a rule, has that name. */
  isTaken: (name: string, prefixed: string, agent: Agent) => boolean
  onWarning: (message: string) => void
}

/** The functions of a skill as people are told of them; `problem`: why there are none though there is a `tools.py`. */
export type ListedFunctions = { tools: { name: string; description: string }[]; problem?: string }

/** The tools that skills are and bring, and what each is called. */
export class SkillTools {
  readonly #options: SkillToolsOptions
  readonly #warned = new Set<string>()

  constructor(options: SkillToolsOptions) {
    this.#options = options
  }

  /** A tool for each skill, and those of its functions. */
  async toolsOf(current: () => Promise<Skill[]>, agent: Agent): Promise<ToolDefinition[]> {
    const { python } = this.#options
    const skills = await current()
    const find = async (id: string) => {
      const skill = (await current()).find((each) => each.id === id)
      if (!skill) throw new SkillError(`The skill ${id} is no longer installed.`)
      return skill
    }
    const tools: ToolDefinition[] = []
    for (const skill of skills) {
      tools.push(skillTool(skill, current, async (now) => aboutTools(await this.listed(now, await current(), agent))))
      const { functions } = await this.#functionsOf(skill)
      const nameOf = await this.#naming(skill, skills, agent)
      const directory = async () => (await find(skill.id)).directory
      for (const each of functions) tools.push(python.tool(nameOf(each.name), each, directory))
    }
    return tools
  }

  async listed(skill: Skill, among: readonly Skill[], agent: Agent): Promise<ListedFunctions> {
    const { functions, problem } = await this.#functionsOf(skill)
    const nameOf = await this.#naming(skill, among, agent)
    const tools = functions.map(({ name, description }) => ({ name: nameOf(name), description }))
    return { tools, ...(problem !== undefined && { problem: `tools.py: ${problem}` }) }
  }

  /** Where two skills have a function of the same name, neither keeps it: nobody shall get the other's by chance. */
  async #naming(skill: Skill, among: readonly Skill[], agent: Agent): Promise<(name: string) => string> {
    const others = new Set<string>()
    for (const other of among)
      if (other.id !== skill.id) for (const { name } of (await this.#functionsOf(other)).functions) others.add(name)
    const { isTaken } = this.#options
    return (name) =>
      functionToolName(skill.id, name, (own, prefixed) => others.has(own) || isTaken(own, prefixed, agent))
  }

  async #functionsOf(skill: Skill): Promise<SkillFunctions> {
    const found = await this.#options.python.functionsOf(skill)
    const warning = `The tools.py of the skill ${skill.id} is not used: ${found.problem}`
    if (found.problem === undefined || skill.source === 'session' || this.#warned.has(warning)) return found
    this.#warned.add(warning)
    this.#options.onWarning(warning)
    return found
  }
}

/** For the model, below the skill's text. */
function aboutTools({ tools, problem }: ListedFunctions): string {
  if (problem !== undefined) return `\n\nThe tools of this skill cannot be called here. ${problem}`
  if (tools.length === 0) return ''
  return `\n\nTools of this skill, which you can call: ${tools.map(({ name }) => name).join(', ')}`
}
