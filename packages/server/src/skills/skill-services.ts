import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Egress } from '../egress/egress.ts'
import { checkAgainst } from '../foreign/check-schema.ts'
import { LimitedProcess } from '../foreign/limited-process.ts'
import type { Operation, ReadOpenApi } from '../foreign/read-openapi.ts'
import type { JsonObject } from '../ports.ts'
import type { ToolDefinition } from '../tools/define-tool.ts'
import { callService, urlOf } from './call-service.ts'
import { listFiles, readFiles } from './read-skill.ts'
import type { Skill } from './skill.ts'
import type { SkillFunctions } from './skill-function.ts'
import { isServersFile } from './skill-path.ts'

const FILE = /^resources\/(?:[^/]+\.)?openapi\.(?:json|ya?ml)$/
const MAX_FILES = 10
const MAX_BYTES = 512 * 1024
const MAX_REMEMBERED = 500
const NONE: SkillFunctions<Operation> = { functions: [] }

const worker = new LimitedProcess({ job: 'openapi', timeLimitMs: 5_000, memoryMb: 256 })

/** The services that skills describe in OpenAPI documents below `resources/`: an operation is a tool. */
export class SkillServices {
  readonly #egress: Egress
  /** By the files and their state. */
  readonly #read = new Map<string, Promise<SkillFunctions<Operation>>>()

  constructor(egress: Egress) {
    this.#egress = egress
  }

  async functionsOf({ directory, source }: Pick<Skill, 'directory' | 'source'>): Promise<SkillFunctions<Operation>> {
    const resources = (await listFiles(directory)).filter((path) => path.startsWith('resources/'))
    const paths = resources.filter((path) => FILE.test(path))
    // Those of an agent or a solution are read with its folder.
    const servers = source === 'solution' ? [] : resources.filter(isServersFile)
    if (paths.length === 0 && servers.length === 0) return NONE
    const states = paths.map(async (path) => {
      const { size, mtimeMs, ino } = await stat(join(directory, path))
      return `${path}:${size}:${mtimeMs}:${ino}`
    })
    const state = JSON.stringify([directory, servers, ...(await Promise.all(states))])
    const known = this.#read.get(state)
    if (known) return known
    const [oldest] = this.#read.keys()
    if (this.#read.size >= MAX_REMEMBERED && oldest !== undefined) this.#read.delete(oldest)
    const reading = readAll(directory, paths).then(({ functions, problems }) => {
      const unused = servers.map(
        (path) => `${path}: starts nothing: MCP servers come with an agent, a solution or the configuration`,
      )
      const all = [...problems, ...unused]
      return { functions, ...(all.length > 0 && { problem: all.join('\n') }) }
    })
    this.#read.set(state, reading)
    reading.catch(() => this.#read.delete(state))
    return reading
  }

  /** `isUploaded`: it came with a session, and the host that it names is nobody's choice yet. `current`: the skill as it is now, or a throw. */
  tool(
    name: string,
    operation: Operation,
    { isUploaded, current }: { isUploaded: boolean; current: () => Promise<Skill> },
  ): ToolDefinition {
    const { method, description, input } = operation
    const isReading = method === 'GET'
    return {
      ...{ name, description, input },
      display_name: { zh: operation.name, en: operation.name },
      provider: 'skill',
      risk: isReading ? 'low' : method === 'DELETE' ? 'high' : 'medium',
      requiresConfirmation: false,
      readOnly: isReading,
      writesFiles: false,
      replay: isReading ? 'safe' : 'never',
      ...(isUploaded && { reaches: (given) => urlOf(operation, given as JsonObject).href }),
      async check(given) {
        const found = await checkAgainst(input, given)
        const problems = 'problems' in found ? found.problems : ['undecided' in found ? found.undecided : found.invalid]
        if (problems.length === 0) return { ok: true, value: given }
        return { ok: false, message: `${name} was called with arguments that do not fit. ${problems.join('; ')}` }
      },
      run: async (given, context) => {
        await current()
        // What somebody uploaded reaches what a page could; what lies in the operator's folders, what the operator means.
        const trust = isUploaded ? 'chosen' : 'configured'
        return callService(operation, { input: given as JsonObject, context, trust }, this.#egress)
      },
    }
  }
}

type ReadFiles = { functions: Operation[]; problems: string[] }

async function readAll(directory: string, paths: readonly string[]): Promise<ReadFiles> {
  const all: ReadFiles = { functions: [], problems: [] }
  for (const path of paths.slice(0, MAX_FILES))
    try {
      const { operations, problems } = await readOne(directory, path)
      all.functions.push(...operations)
      all.problems.push(...problems.map((problem) => `${path}:${problem}`))
    } catch (error) {
      const { message } = error as Error
      all.problems.push(/^\d+: /.test(message) ? `${path}:${message}` : `${path}: ${message}`)
    }
  if (paths.length > MAX_FILES) all.problems.push(`resources: has more than ${MAX_FILES} documents of services`)
  return all
}

async function readOne(directory: string, path: string): Promise<ReadOpenApi> {
  for await (const { content } of readFiles(directory, [path])) {
    if (content.length > MAX_BYTES) throw new Error(`is larger than ${MAX_BYTES} bytes`)
    return worker.run<ReadOpenApi>({ text: content.toString('utf8') })
  }
  throw new Error('is gone')
}
