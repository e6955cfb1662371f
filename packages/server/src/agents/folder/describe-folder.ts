import type { z } from 'zod'
import { type McpServersConfig, mcpServersSchema } from '../../tools/mcp/config.ts'
import { nearestName } from '../../words/nearest-name.ts'
import { type AgentPolicy, agentPolicySchema, type AgentSettings, agentSettingsSchema } from '../agent-settings.ts'
import type { AgentFile } from './read-folder.ts'
import { readJson, readYaml } from './read-settings.ts'
import { FolderError } from './walk-folder.ts'

/** What the files of a folder say; paths are those in the folder. */
export type DescribedFolder = {
  instructions: string | null
  settings: AgentSettings
  policy: AgentPolicy | null
  mcpServers: McpServersConfig
  toolFiles: string[]
  hasSkills: boolean
  /** What is there and means nothing, a sentence each. */
  warnings: string[]
}

const FILES = ['instructions.md', 'agent.yaml', 'policy.yaml', 'mcp.json']
const FOLDERS = ['tools', 'skills']
/** For people. */
const SILENT = /^(?:README|CHANGELOG|LICENSE)(?:\.|$)/i
/** Under another ending they would be taken for what they are not. */
const STEMS = new Map(FILES.map((file) => [file.split('.')[0]!, file]))

const MAX_INSTRUCTIONS = 256 * 1024
const TOOL_FILE = /^tools\/[^/]+\.(?:ts|js|mjs)$/
const NO_TOOL_FILE = /(?:\.d|\.test|\.spec)\.(?:ts|js|mjs)$/

/** The same for a folder that was just read and for one that came from the database. Throws a `FolderError`. */
export function describeFolder(files: readonly AgentFile[]): DescribedFolder {
  const problems: string[] = []
  const attempt = <T>(read: () => T): T | undefined => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof FolderError)) throw error
      problems.push(...error.problems)
      return undefined
    }
  }
  const found = (path: string) => files.find((file) => file.path === path)
  const settingsOf = <S extends z.ZodType>(path: string, schema: S, elsewhere = {}) => {
    const file = found(path)
    return file && attempt(() => readYaml({ path, text: textOf(file), schema, elsewhere }))
  }
  if (!found('instructions.md') && !found('agent.yaml'))
    problems.push('instructions.md: is missing; an agent has at least that, or an agent.yaml')
  problems.push(...files.flatMap(({ path }) => misnamed(path)))
  const instructions = found('instructions.md')
  const mcp = found('mcp.json')
  const described = {
    instructions: (instructions && attempt(() => readInstructions(instructions))) ?? null,
    settings: settingsOf('agent.yaml', agentSettingsSchema, ELSEWHERE) ?? {},
    policy: settingsOf('policy.yaml', agentPolicySchema) ?? null,
    mcpServers: (mcp && attempt(() => readMcp(mcp))) ?? {},
    toolFiles: files.map(({ path }) => path).filter((path) => TOOL_FILE.test(path) && !NO_TOOL_FILE.test(path)),
    hasSkills: files.some(({ path }) => path.startsWith('skills/')),
    warnings: unknownEntries(files),
  }
  if (problems.length > 0) throw new FolderError(problems)
  return described
}

/** What may run is reviewed by other people than what the model is told: it has a file of its own. */
const ELSEWHERE = {
  policy: 'stands in a file of its own, policy.yaml.',
  mcp_servers: 'stands in a file of its own, mcp.json.',
  instructions: 'stands in a file of its own, instructions.md.',
  skills: 'is a folder beside this file.',
}

function readInstructions(file: AgentFile): string {
  const text = textOf(file)
  // Most likely it is just being written.
  if (text.trim() === '') throw new FolderError([`${file.path}: is empty`])
  if (text.length > MAX_INSTRUCTIONS)
    throw new FolderError([`${file.path}: is longer than ${MAX_INSTRUCTIONS} characters`])
  return text
}

/** With or without the `mcpServers` around it that files of other programs have. */
function readMcp(file: AgentFile): McpServersConfig {
  return readJson({ path: file.path, text: textOf(file), schema: mcpServersSchema }, 'mcpServers')
}

function textOf({ path, bytes }: AgentFile): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new FolderError([`${path}: is not UTF-8 text`], { cause: error })
  }
}

/** `policy.yml`, `Policy.yaml`, `agent.json`: whoever wrote it believes that it counts. */
function misnamed(path: string): string[] {
  const meant = STEMS.get(path.split('.')[0]!.toLowerCase())
  return meant === undefined || path === meant || path.includes('/') ? [] : [`${path}: must be called ${meant}`]
}

function unknownEntries(files: readonly AgentFile[]): string[] {
  const top = new Set(files.map(({ path }) => (path.includes('/') ? `${path.split('/')[0]!}/` : path)))
  const known = [...FILES, ...FOLDERS.map((folder) => `${folder}/`)]
  return [...top]
    .filter((name) => !known.includes(name) && !SILENT.test(name) && misnamed(name).length === 0)
    .map((name) => {
      const meant = nearestName(name, known)
      return `${name}: is part of no agent.${meant ? ` Did you mean ${meant}?` : ` Known are: ${known.join(', ')}.`}`
    })
}
