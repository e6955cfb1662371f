import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { uselessRules } from '../confirm/policy.ts'
import { nearestName } from '../words/nearest-name.ts'
import type { AgentVersion } from './agent-version.ts'
import { fileOf, inAllRoles } from './in-role.ts'
import { comesLater, type RuleWarningsOptions } from './rule-warnings.ts'

/** What `tools` of an agent, a solution or a role lists and nobody has: the agent goes without it, silently. A line each, which begins with path and line. */
export async function toolWarnings(version: AgentVersion, options: RuleWarningsOptions): Promise<string[]> {
  const byFile = new Map(inAllRoles(version).map((one) => [fileOf(one, 'tools'), one]))
  return (await Promise.all([...byFile].map(([file, one]) => warningsIn(file, one, options)))).flat()
}

async function warningsIn(file: string, agent: AgentVersion, options: RuleWarningsOptions): Promise<string[]> {
  const { tools = [] } = agent.settings
  const server = await options.toolNames()
  const isUnknown = (tool: string, names: readonly string[]) =>
    uselessRules([{ tool, decision: 'allow' }], names).length > 0 && !comesLater(tool, agent, options)
  if (!tools.some((tool) => isUnknown(tool, server))) return []
  // Its own it has without being listed, and may list all the same.
  const names = [...server, ...(await options.toolNamesOf(agent))]
  const unknown = tools.flatMap((tool, index) => (isUnknown(tool, names) ? [{ tool, index }] : []))
  if (unknown.length === 0) return []
  const [{ placeIn }, text] = await Promise.all([
    import('./folder/read-settings.ts'),
    readFile(join(agent.directory, file), 'utf8'),
  ])
  const place = placeIn(file, text)
  return unknown.map(({ tool, index }) => {
    const meant = nearestName(tool, names)
    const advice = meant ? ` Did you mean ${meant}?` : ''
    return `${place(['tools', index])}: tools.${index}: this server has no tool ${tool}.${advice}`
  })
}
