import {
  type DescribedRole,
  ID_CHARACTERS,
  MAX_ROLES,
  isRoleId,
  roleFile,
  roleSettingsSchema,
  settingsOf,
  type SolutionSettings,
  solutionSettingsSchema,
} from '../solution-settings.ts'
import {
  type DescribedFolder,
  FolderReader,
  type FolderParts,
  INSTRUCTIONS,
  MCP,
  misnamed,
  PART_FILES,
  PART_FOLDERS,
  unknownEntries,
} from './folder-parts.ts'
import type { AgentFile } from './read-folder.ts'
import { placeIn } from './read-settings.ts'
import { FolderError, shownName } from './walk-folder.ts'

const SETTINGS = 'solution.yaml'
const FILES = [SETTINGS, ...PART_FILES]
const KNOWN = [...FILES, ...[...PART_FOLDERS, 'roles'].map((folder) => `${folder}/`), 'ui.json']
const ROLE = 'role.yaml'
const TEMPLATE = /^(?:roles\/[^/]+\/)?AGENTS\.md(?:\.j2)?$/i
const NO_TEMPLATES = 'is not read; what the model is told stands in instructions.md beside it, as plain text'
/** There may be many of them, and all are read at once. */
const MAX_ROLE_CHARACTERS = 4 * 1024
const ROLE_FILES = [ROLE, INSTRUCTIONS]

/** Throws a `FolderError` that names every mistake by path and line. */
export function describeSolution(id: string, files: readonly AgentFile[]): DescribedFolder {
  const reader = new FolderReader(files)
  const paths = files.map(({ path }) => path)
  const top = paths.filter((path) => !path.includes('/'))
  reader.problems.push(...top.flatMap((path) => misnamed(path, FILES)))
  // Whoever wrote one believes that the model is told what it says.
  reader.problems.push(...paths.filter((path) => TEMPLATE.test(path)).map((path) => `${path}: ${NO_TEMPLATES}`))
  if (!reader.has(SETTINGS)) reader.problems.push(`${SETTINGS}: is missing`)
  const settings = reader.yaml(SETTINGS, solutionSettingsSchema, { elsewhere: ELSEWHERE })
  const parts = reader.parts()
  const found = rolesIn(paths)
  if (found.length > MAX_ROLES) throw new FolderError([`roles: has more than ${MAX_ROLES} folders`])
  const roles = rolesOf(settings, found).flatMap((role) => describeRole(role, { reader, parts }))
  if (settings) checkSolution(id, settings, reader)
  reader.demandGood()
  const unlisted = found.filter((role) => settings?.roles && !settings.roles.includes(role))
  return {
    ...parts,
    settings: settingsOf(settings!),
    settingsFile: SETTINGS,
    solution: { id, settings: settings!, roles },
    warnings: [
      ...unknownEntries(paths, KNOWN, 'solution'),
      ...unlisted.map((role) => `roles/${role}: is not among the roles of ${SETTINGS}`),
      ...paths.filter((path) => /^roles\/[^/]+\/init\//.test(path)).map((path) => `${path}: is not run by this server`),
    ],
  }
}

const ELSEWHERE = {
  policy: 'stands in a file of its own, policy.yaml.',
  mcp_servers: 'stands in a file of its own, mcp.json.',
  instructions: 'stands in a file of its own, instructions.md.',
  local_skills: 'stands in role.yaml; a solution without roles has all skills of its folder.',
  skills: 'is a folder beside this file.',
}

function rolesIn(paths: readonly string[]): string[] {
  const folders = paths.flatMap((path) => /^roles\/([^/]+)\//.exec(path)?.[1] ?? [])
  return [...new Set(folders)].sort()
}

function rolesOf(settings: SolutionSettings | undefined, found: string[]): readonly string[] {
  return settings?.roles?.filter((role) => found.includes(role)) ?? found
}

type Reading = { reader: FolderReader; parts: FolderParts }

function describeRole(role: string, { reader, parts }: Reading): DescribedRole[] {
  const folder = `roles/${role}/`
  const file = roleFile(role)
  const own = reader.files.map(({ path }) => path).filter((path) => path.startsWith(folder))
  const direct = own.filter((path) => !path.slice(folder.length).includes('/'))
  reader.problems.push(...direct.flatMap((path) => misnamed(path, ROLE_FILES)))
  if (own.some((path) => path.startsWith(`${folder}skills/`)))
    reader.problems.push(
      `${folder}skills: skills lie in skills/ of the solution, and local_skills of ${ROLE} names them`,
    )
  if (!isRoleId(role)) reader.problems.push(`roles/${shownName(role)}: is no name for a role; ${ID_CHARACTERS}`)
  if (!reader.has(file)) reader.problems.push(`${file}: is missing`)
  const settings = reader.yaml(file, roleSettingsSchema, {
    elsewhere: ROLE_ELSEWHERE,
    maxCharacters: MAX_ROLE_CHARACTERS,
  })
  const instructions = reader.instructions(`${folder}${INSTRUCTIONS}`)
  if (!settings) return []
  const place = placeIn(file, reader.text(file)!)
  if (settings.id !== undefined && settings.id !== role)
    reader.problems.push(`${place(['id'])}: id: must be the name of its folder, ${role}`)
  settings.local_skills.forEach((skill, at) => {
    if (!reader.has(`skills/${skill}/SKILL.md`))
      reader.problems.push(`${place(['local_skills', at])}: local_skills.${at}: there is no skills/${skill}/SKILL.md`)
  })
  settings.mcp_servers?.forEach((server, at) => {
    if (!Object.hasOwn(parts.mcpServers, server))
      reader.problems.push(`${place(['mcp_servers', at])}: mcp_servers.${at}: ${MCP} has no server ${server}`)
  })
  return [{ id: role, settings, instructions }]
}

const ROLE_ELSEWHERE = {
  policy: 'stands in policy.yaml of the solution, for all its roles.',
  instructions: 'stands in a file of its own, instructions.md.',
  skills: 'lie in skills/ of the solution; local_skills names those of this role.',
}

function checkSolution(id: string, { id: said, roles = [] }: SolutionSettings, reader: FolderReader): void {
  const place = placeIn(SETTINGS, reader.text(SETTINGS)!)
  if (said !== undefined && said !== id)
    reader.problems.push(`${place(['id'])}: id: must be the name of its folder, ${id}`)
  const found = rolesIn(reader.files.map(({ path }) => path))
  roles.forEach((role, at) => {
    if (!found.includes(role))
      reader.problems.push(`${place(['roles', at])}: roles.${at}: there is no ${roleFile(role)}`)
  })
}
