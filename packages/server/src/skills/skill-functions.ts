import { mkdtemp, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { checkAgainst } from '../foreign/check-schema.ts'
import type { JsonObject } from '../ports.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { ToolContext, ToolDefinition } from '../tools/define-tool.ts'
import { safeToolName, TOOL_NAME } from '../tools/safe-tool-name.ts'
import { listFiles } from './read-skill.ts'
import { runPython } from './run-python.ts'
import { type Skill, SkillError } from './skill.ts'
import type { SkillFunction, SkillFunctions } from './skill-function.ts'

export type PythonToolsOptions = {
  sandbox: Sandbox
  leaseMs: number
  /** Where a listing gets a folder of its own, which goes with it. */
  directory: string
}

const TOOLS_FILE = 'tools.py'
const LIST_MS = 10_000
const CALL_MS = 120_000
/** A listing that failed is tried again after this long. */
const FAILED_MS = 60_000
const MAX_REMEMBERED = 500
const NONE: SkillFunctions = { functions: [] }

const listingSchema = z.object({
  tools: z
    .array(
      z.object({
        name: z.string().regex(TOOL_NAME, 'is no name for a tool: letters, digits, _ and -, 64 at most'),
        description: z.string().transform((text) => text.slice(0, 4_000)),
        input: z.record(z.string(), z.json()),
      }),
    )
    .max(64),
})

/** What the `tools.py` of skills brings. It is somebody else's code: it is listed, too, in the sandbox alone. */
export class PythonTools {
  readonly #options: PythonToolsOptions
  /** By the folder and the state of its files. */
  readonly #listed = new Map<string, Promise<SkillFunctions>>()

  constructor(options: PythonToolsOptions) {
    this.#options = options
  }

  async functionsOf({ directory }: Pick<Skill, 'directory'>): Promise<SkillFunctions> {
    const state = await stateOf(directory)
    if (state === undefined) return NONE
    const known = this.#listed.get(state)
    if (known) return known
    const [oldest] = this.#listed.keys()
    if (this.#listed.size >= MAX_REMEMBERED && oldest !== undefined) this.#listed.delete(oldest)
    const listed = this.#list(directory).catch((error: unknown) => {
      // A busy machine is no reason to do without them for good.
      setTimeout(() => this.#listed.delete(state), FAILED_MS).unref()
      return { functions: [], problem: `${TOOLS_FILE}: ${(error as Error).message}` }
    })
    this.#listed.set(state, listed)
    return listed
  }

  /** `current`: the skill as it is now, or a throw. */
  tool(name: string, { name: tool, description, input }: SkillFunction, current: () => Promise<Skill>): ToolDefinition {
    return {
      name,
      display_name: { zh: tool, en: tool },
      description,
      provider: 'skill',
      // As for Bash: it is code in the same sandbox, and nobody can tell what it does.
      risk: 'medium',
      requiresConfirmation: false,
      readOnly: false,
      replay: 'never',
      input,
      async check(given) {
        if (typeof given !== 'object' || given === null || Array.isArray(given))
          return { ok: false, message: `${name} was called with arguments that do not fit. They must be an object.` }
        const found = await checkAgainst(input, given)
        if (!('problems' in found) || found.problems.length === 0) return { ok: true, value: given }
        return {
          ok: false,
          message: `${name} was called with arguments that do not fit. ${found.problems.join('; ')}`,
        }
      },
      run: async (given, context) =>
        this.#call((await current()).directory, { tool, arguments: given as JsonObject }, context),
    }
  }

  async #list(directory: string): Promise<SkillFunctions> {
    const workspace = await mkdtemp(join(this.#options.directory, 'skill-tools-'))
    try {
      const { sandbox, leaseMs } = this.#options
      const signal = new AbortController().signal
      const place = { sandbox, leaseMs, directory, workspace, env: {}, timeLimitMs: LIST_MS, signal }
      const listing = listingSchema.safeParse(await runPython(place))
      if (listing.success) return { functions: listing.data.tools }
      const { path = [], message } = listing.error.issues[0] ?? { message: 'it is not a list of tools' }
      throw new SkillError(`${path.join('.')}: ${message}`)
    } finally {
      await rm(workspace, { recursive: true, force: true })
    }
  }

  async #call(directory: string, call: { tool: string; arguments: JsonObject }, context: ToolContext) {
    const { workspace, env, signal, notify } = context
    try {
      const { sandbox, leaseMs } = this.#options
      const place = { sandbox, leaseMs, directory, workspace, env, timeLimitMs: CALL_MS, signal }
      const { result = null } = await runPython({ ...place, call })
      return { result }
    } finally {
      // Nobody can tell what it has changed.
      notify('workspace:files_changed', { file_path: null })
    }
  }
}

/** A function keeps its own name where nothing else has it; else the skill's stands before it. */
export function functionToolName(
  id: string,
  name: string,
  isTaken: (name: string, prefixed: string) => boolean,
): string {
  const prefixed = safeToolName('skill', ...id.split('/'), name)
  return isTaken(name, prefixed) ? prefixed : name
}

/** Changes with any of the skill's files; `undefined` when it has no `tools.py`. */
async function stateOf(directory: string): Promise<string | undefined> {
  const files = await listFiles(directory)
  if (!files.includes(TOOLS_FILE)) return undefined
  const states = files.map(async (file) => {
    const { size, mtimeMs, ino } = await stat(join(directory, file))
    return `${file}:${size}:${mtimeMs}:${ino}`
  })
  return JSON.stringify([directory, ...(await Promise.all(states))])
}
