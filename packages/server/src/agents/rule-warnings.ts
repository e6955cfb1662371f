import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { uselessRules } from '../confirm/policy.ts'
import { grants } from '../tools/catalog.ts'
import { nearestName } from '../words/nearest-name.ts'
import type { AgentVersion } from './agent-version.ts'
import { inAllRoles } from './in-role.ts'

export type RuleWarningsOptions = {
  /** Of the server itself, as far as they are known. */
  toolNames: () => Promise<readonly string[]>
  /** Of the agent's own files. */
  toolNamesOf: (agent: AgentVersion) => Promise<readonly string[]>
  /** Servers in the configuration, whose tools may come later. */
  hasMcpServers: boolean
}

/** The rules of `policy.yaml` that fit no tool of the agent: their author believes that they protect. A line each, which begins with path and line. */
export async function ruleWarnings(agent: AgentVersion, options: RuleWarningsOptions): Promise<string[]> {
  const rules = agent.policy?.rules ?? []
  if (rules.length === 0) return []
  const granted = (await options.toolNames()).filter((name) => inAllRoles(agent).some((one) => grants(one, name)))
  // Most agents have rules about the server's tools alone, and need not be listed for this.
  if (uselessRules(rules, granted).length === 0) return []
  const names = [...granted, ...(await options.toolNamesOf(agent))]
  const warnings = rules.flatMap(({ tool, decision }, index) => {
    if (uselessRules([{ tool, decision }], names).length === 0) return []
    const meant = nearestName(tool, names)
    if (comesLater(tool, agent, options) || (!meant && hasFunctions(agent))) return []
    return [{ tool, index, advice: meant ? ` Did you mean ${meant}?` : '' }]
  })
  if (warnings.length === 0) return []
  const [{ placeIn }, text] = await Promise.all([
    import('./folder/read-settings.ts'),
    readFile(join(agent.directory, POLICY), 'utf8'),
  ])
  const place = placeIn(POLICY, text)
  return warnings.map(
    ({ tool, index, advice }) =>
      `${place(['rules', index, 'tool'])}: rules.${index}.tool: the rule never decides: this agent has no tool ${tool}.${advice}`,
  )
}

const POLICY = 'policy.yaml'

/** Tools of servers that are not started yet, and of skills that are uploaded to a session. */
export function comesLater(
  tool: string,
  { mcpServers }: AgentVersion,
  { hasMcpServers }: RuleWarningsOptions,
): boolean {
  if (tool.startsWith('skill__')) return true
  const hasServers = hasMcpServers || Object.keys(mcpServers).length > 0
  return hasServers && (tool.startsWith('mcp__') || tool.startsWith('*'))
}

/** Those of its skills are known to the sandbox, and to documents of services, alone. */
function hasFunctions({ files }: AgentVersion): boolean {
  return files.some((path) => /^skills\/.+\/(?:tools\.py|resources\/[^/]*openapi\.(?:json|ya?ml))$/.test(path))
}
