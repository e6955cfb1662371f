import type { ToolOwner } from '../tools/catalog.ts'
import type { ToolDefinition } from '../tools/define-tool.ts'
import { type Skill, SkillError } from './skill.ts'
import type { SkillFunction } from './skill-function.ts'
import { functionToolName, type PythonTools } from './skill-functions.ts'
import type { SkillServices } from './skill-services.ts'
import { skillTool } from './skill-tool.ts'

type Agent = ToolOwner['agent']

export type SkillToolsOptions = {
  /** What the `tools.py` of a skill brings. */
  python: PythonTools
  /** What the OpenAPI documents of a skill bring. */
  services: SkillServices
  /** A function that would be called `name` must be called `prefixed`: another tool, or a rule, has that name. */
  isTaken: (name: string, prefixed: string, agent: Agent) => boolean
  onWarning: (message: string) => void
}

/** The functions of a skill as people are told of them; `problem`: why some are missing, lines that begin with a path. */
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
      const now = () => find(skill.id)
      for (const { name, make } of functions) tools.push(make(nameOf(name), now))
    }
    return tools
  }

  async listed(skill: Skill, among: readonly Skill[], agent: Agent): Promise<ListedFunctions> {
    const { functions, problem } = await this.#functionsOf(skill)
    const nameOf = await this.#naming(skill, among, agent)
    const tools = functions.map(({ name, description }) => ({ name: nameOf(name), description }))
    return { tools, ...(problem !== undefined && { problem }) }
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

  async #functionsOf(skill: Skill): Promise<Brought> {
    const { python, services } = this.#options
    const [own, asked] = await Promise.all([python.functionsOf(skill), services.functionsOf(skill)])
    const isUploaded = skill.source === 'session'
    const functions = [
      ...own.functions.map((one) => ({
        ...one,
        make: (name: string, current: () => Promise<Skill>) => python.tool(name, one, current),
      })),
      ...asked.functions.map((one) => ({
        ...one,
        make: (name: string, current: () => Promise<Skill>) => services.tool(name, one, { isUploaded, current }),
      })),
    ]
    const problem = [own.problem, asked.problem].filter((one) => one !== undefined).join('\n')
    // Of an agent's folder it was said when that was loaded.
    if (problem !== '' && skill.source === 'global')
      this.#warnOnce(`Tools of the skill ${skill.id} are missing. ${problem}`)
    return { functions: firstOfEachName(functions), ...(problem !== '' && { problem }) }
  }

  #warnOnce(warning: string): void {
    if (this.#warned.has(warning) || this.#warned.size >= MAX_WARNED) return
    this.#warned.add(warning)
    this.#options.onWarning(warning)
  }
}

const MAX_WARNED = 1_000

type Make = (name: string, current: () => Promise<Skill>) => ToolDefinition

type Brought = { functions: (SkillFunction & { make: Make })[]; problem?: string }

function firstOfEachName<One extends SkillFunction>(functions: readonly One[]): One[] {
  const names = new Set<string>()
  return functions.filter(({ name }) => !names.has(name) && names.add(name))
}

/** For the model, below the skill's text. */
function aboutTools({ tools, problem }: ListedFunctions): string {
  const names = tools.map(({ name }) => name).join(', ')
  const callable = names === '' ? '' : `\n\nTools of this skill, which you can call: ${names}`
  if (problem === undefined) return callable
  return `${callable}\n\n${names === '' ? 'The' : 'Other'} tools of this skill cannot be called here. ${problem}`
}
