import { join } from 'node:path'
import type { z } from 'zod'
import { type McpServersConfig, mcpServersSchema } from '../../tools/mcp/config.ts'
import { nearestName } from '../../words/nearest-name.ts'
import { type AgentPolicy, agentPolicySchema, type AgentSettings } from '../agent-settings.ts'
import type { DescribedSolution } from '../solution-settings.ts'
import type { AgentFile } from './read-folder.ts'
import { readJson, readYaml, type SettingsFile } from './read-settings.ts'
import { FolderError } from './walk-folder.ts'

/** What agents and solutions have alike; paths are those in the folder. */
export type FolderParts = {
  instructions: string | null
  policy: AgentPolicy | null
  /** Of `mcp.json`, and those that its skills bring. */
  mcpServers: McpServersConfig
  /** Of the latter, by the id of their skill: their names. */
  skillServers: Readonly<Record<string, readonly string[]>>
  toolFiles: string[]
  hasSkills: boolean
}

/** What the files of a folder say. */
export type DescribedFolder = FolderParts & {
  settings: AgentSettings
  /** The file that they stand in. */
  settingsFile: string
  /** `null`: it is an agent's. */
  solution: DescribedSolution | null
  /** What is there and means nothing, a sentence each. */
  warnings: string[]
}

export const INSTRUCTIONS = 'instructions.md'
const POLICY = 'policy.yaml'
export const MCP = 'mcp.json'
export const PART_FILES = [INSTRUCTIONS, POLICY, MCP]
export const PART_FOLDERS = ['tools', 'skills']

/** For people. */
const SILENT = /^(?:README|CHANGELOG|LICENSE)(?:\.|$)/i
/** A skill of the folder says which servers it needs. */
const SKILL_SERVERS = /^skills\/([^/]+(?:\/[^/]+)?)\/resources\/(?:mcp-config|mcp|[^/]+\.mcp)\.json$/
const MAX_SERVER_FILES = 20
const MAX_INSTRUCTIONS = 256 * 1024
const TOOL_FILE = /^tools\/[^/]+\.(?:ts|js|mjs)$/
const NO_TOOL_FILE = /(?:\.d|\.test|\.spec)\.(?:ts|js|mjs)$/

/** Reads the files of a folder, and gathers what is wrong with them. */
export class FolderReader {
  readonly problems: string[] = []
  readonly files: readonly AgentFile[]

  constructor(files: readonly AgentFile[]) {
    this.files = files
  }

  has(path: string): boolean {
    return this.files.some((file) => file.path === path)
  }

  /** The text of a file; `undefined` when it is not there, or no text. */
  text(path: string): string | undefined {
    const file = this.files.find((one) => one.path === path)
    return file && this.attempt(() => textOf(file))
  }

  yaml<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    more: Pick<SettingsFile<Schema>, 'elsewhere' | 'maxCharacters'> = {},
  ): z.output<Schema> | undefined {
    const text = this.text(path)
    return text === undefined ? undefined : this.attempt(() => readYaml({ path, text, schema, ...more }))
  }

  instructions(path: string): string | null {
    const text = this.text(path)
    return (text === undefined ? undefined : this.attempt(() => demandInstructions(path, text))) ?? null
  }

  parts(): FolderParts {
    const paths = this.files.map(({ path }) => path)
    return {
      instructions: this.instructions(INSTRUCTIONS),
      policy: this.yaml(POLICY, agentPolicySchema) ?? null,
      ...this.#servers(paths),
      toolFiles: paths.filter((path) => TOOL_FILE.test(path) && !NO_TOOL_FILE.test(path)),
      hasSkills: paths.some((path) => path.startsWith('skills/')),
    }
  }

  #servers(paths: readonly string[]): Pick<FolderParts, 'mcpServers' | 'skillServers'> {
    const mcpServers = { ...this.#serversIn(MCP) }
    const skillServers: Record<string, string[]> = {}
    const files = paths.filter((path) => SKILL_SERVERS.test(path))
    if (files.length > MAX_SERVER_FILES)
      this.problems.push(`${files[MAX_SERVER_FILES]!}: more than ${MAX_SERVER_FILES} skills bring servers`)
    for (const path of files.slice(0, MAX_SERVER_FILES)) {
      const skill = SKILL_SERVERS.exec(path)![1]!
      for (const [name, server] of Object.entries(this.#serversIn(path))) {
        if (Object.hasOwn(mcpServers, name)) this.problems.push(`${path}: there is another server named ${name}`)
        mcpServers[name] = 'command' in server ? { ...server, cwd: join('skills', skill, server.cwd ?? '.') } : server
        skillServers[skill] = [...(skillServers[skill] ?? []), name]
      }
    }
    return { mcpServers, skillServers }
  }

  /** With or without the `mcpServers` around it that files of other programs have. */
  #serversIn(path: string): McpServersConfig {
    const text = this.text(path)
    if (text === undefined) return {}
    return this.attempt(() => readJson({ path, text, schema: mcpServersSchema }, 'mcpServers')) ?? {}
  }

  attempt<T>(read: () => T): T | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof FolderError)) throw error
      this.problems.push(...error.problems)
      return undefined
    }
  }

  /** Throws when something is wrong. */
  demandGood(): void {
    if (this.problems.length > 0) throw new FolderError(this.problems)
  }
}

/** `policy.yml`, `Policy.yaml`, `agent.json`: whoever wrote it believes that it counts. */
export function misnamed(path: string, files: readonly string[]): string[] {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const meant = files.find((file) => file.split('.')[0] === name.split('.')[0]!.toLowerCase())
  return meant === undefined || name === meant ? [] : [`${path}: must be called ${meant}`]
}

/** What lies at the top of a folder and means nothing, a sentence each. */
export function unknownEntries(paths: readonly string[], known: readonly string[], noun: string): string[] {
  const top = new Set(paths.map((path) => (path.includes('/') ? `${path.split('/')[0]!}/` : path)))
  return [...top]
    .filter((name) => !known.includes(name) && !SILENT.test(name) && misnamed(name, known).length === 0)
    .map((name) => {
      const meant = nearestName(name, known)
      return `${name}: is part of no ${noun}.${meant ? ` Did you mean ${meant}?` : ` Known are: ${known.join(', ')}.`}`
    })
}

function demandInstructions(path: string, text: string): string {
  // Most likely it is just being written.
  if (text.trim() === '') throw new FolderError([`${path}: is empty`])
  if (text.length > MAX_INSTRUCTIONS) throw new FolderError([`${path}: is longer than ${MAX_INSTRUCTIONS} characters`])
  return text
}

function textOf({ path, bytes }: AgentFile): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new FolderError([`${path}: is not UTF-8 text`], { cause: error })
  }
}
