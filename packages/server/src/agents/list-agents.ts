import type { Agent, AgentVersionInfo } from '@parley/protocol/rest'
import type { Engine } from '../store/engine.ts'
import type { AgentSettings } from './agent-settings.ts'
import { DEFAULT_AGENT, type OpenAgents } from './open-agents.ts'
import { type AgentRow, currentAgents, type VersionUse, versionsInUse } from './version-rows.ts'

export type Listing = { engine: Engine; agents: OpenAgents }

/** Versions that are listed of an agent, the newest first. */
const LISTED_VERSIONS = 100

/** All agents. A folder that never became a version is listed with its problem alone, for the owner. */
export async function listAgents({ engine, agents }: Listing, isOwner: boolean): Promise<Agent[]> {
  const [rows, uses] = await engine.read(function* () {
    return [yield* currentAgents(), yield* versionsInUse()] as const
  })
  const problems = agents.problems()
  const names = [DEFAULT_AGENT, ...rows.map(({ name }) => name), ...(isOwner ? problems.keys() : [])]
  const listed = [...new Set(names)].sort().map(async (name): Promise<Agent> => {
    const row = rows.find((one) => one.name === name)
    const settings = await settingsOf(agents, row)
    const problem = problems.get(name) ?? (settings ? undefined : 'Its current version is not what was stored.')
    return {
      name,
      display_name: settings?.display_name ?? name,
      description: settings?.description ?? null,
      version: row?.digest ?? null,
      loaded_at: row ? isoTime(row.changed_at) : null,
      ...(isOwner && problem !== undefined && { problem }),
      versions: versionsOf(name, row, uses),
    }
  })
  return Promise.all(listed)
}

/** What somebody may choose from who sees nothing of how it is made. */
export async function listForVisitors({ engine, agents }: Listing): Promise<Pick<Agent, 'name' | 'display_name'>[]> {
  const rows = await engine.read(currentAgents)
  const names = new Set([DEFAULT_AGENT, ...rows.map(({ name }) => name)])
  const listed = [...names].sort().map(async (name) => {
    const settings = await settingsOf(
      agents,
      rows.find((row) => row.name === name),
    )
    if (!settings || (name !== DEFAULT_AGENT && settings.visitors !== true)) return []
    return [{ name, display_name: settings.display_name ?? name }]
  })
  return (await Promise.all(listed)).flat()
}

/** Of the current version; `undefined` when it cannot be had. The configuration has no settings of this kind. */
async function settingsOf(agents: OpenAgents, row: AgentRow | undefined): Promise<AgentSettings | undefined> {
  if (!row) return {}
  return agents.versions.find(row.name, row.digest).then(
    ({ settings }) => settings,
    () => undefined,
  )
}

function versionsOf(name: string, row: AgentRow | undefined, uses: readonly VersionUse[]): AgentVersionInfo[] {
  return uses
    .filter((use) => use.name === name)
    .slice(0, LISTED_VERSIONS)
    .map(({ digest, created_at, sessions }) => ({
      version: digest,
      created_at: isoTime(created_at),
      sessions,
      is_current: digest === row?.digest,
    }))
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
