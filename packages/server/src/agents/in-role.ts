import { AgentError } from '@parley/protocol'
import type { AgentVersion } from './agent-version.ts'
import { type DescribedRole, roleFile, type RoleSettings, settingsOf } from './solution-settings.ts'

/** Each made once: what is known of a version is kept by its object. */
const known = new WeakMap<AgentVersion, Map<string, AgentVersion>>()

/** A version of a solution as one of its roles has it: told more, and with fewer tools, skills and servers. */
export function inRole(version: AgentVersion, role: string | null): AgentVersion {
  if (role === null) return version
  const roles = known.get(version) ?? new Map<string, AgentVersion>()
  known.set(version, roles)
  const made = roles.get(role) ?? make(version, demandRole(version, role))
  roles.set(role, made)
  return made
}

/** A version in all its roles; itself where it has none. */
export function inAllRoles(version: AgentVersion): AgentVersion[] {
  const roles = version.solution?.roles ?? []
  return roles.length === 0 ? [version] : roles.map(({ id }) => inRole(version, id))
}

/** The file in which a version, or its role, says this of itself. */
export function fileOf({ settingsFile, solution, role }: AgentVersion, setting: 'model' | 'tools'): string {
  const own = solution?.roles.find(({ id }) => id === role)
  return own?.settings[setting] === undefined ? settingsFile : roleFile(own.id)
}

function demandRole({ name, solution }: AgentVersion, role: string): DescribedRole {
  const found = solution?.roles.find(({ id }) => id === role)
  if (!found) throw new AgentError('agent_not_available', `There is no role ${role} in ${name}.`)
  return found
}

/** Servers of skills go with their skill. */
function hasServer(
  { skillServers }: AgentVersion,
  { local_skills, mcp_servers }: RoleSettings,
  server: string,
): boolean {
  const skill = Object.keys(skillServers).find((id) => skillServers[id]!.includes(server))
  if (skill !== undefined) return local_skills.includes(skill)
  return mcp_servers === undefined || mcp_servers.includes(server)
}

function make(version: AgentVersion, { id, settings, instructions }: DescribedRole): AgentVersion {
  const texts = [version.instructions, instructions].filter((text) => text !== null)
  const imported = [...(version.importedSkills ?? []), ...(settings.imported_skills ?? [])]
  const servers = Object.entries(version.mcpServers).filter(([server]) => hasServer(version, settings, server))
  return {
    ...version,
    instructions: texts.length === 0 ? null : texts.map((text) => text.trimEnd()).join('\n\n'),
    settings: { ...version.settings, ...settingsOf(settings) },
    mcpServers: Object.fromEntries(servers),
    role: id,
    localSkills: settings.local_skills,
    importedSkills: version.importedSkills === null && settings.imported_skills === undefined ? null : imported,
  }
}
