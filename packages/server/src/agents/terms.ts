import type { ServerConfig } from '../config/options.ts'
import { configuredHosts } from '../configured-hosts.ts'
import { createPolicy, type Policy } from '../confirm/policy.ts'
import type { AgentVersion } from './agent-version.ts'

/** What an agent decides for its runs; where its version says nothing, or there is none, the configuration does. */
export type Terms = {
  /** `undefined`: the server's own few sentences. */
  instructions: string | undefined
  maxTurns: number
  /** Where its version says so. */
  agentMaxTurns: number | undefined
  /** How long a confirmation, and a person's consent, holds. */
  consentMs: number
  policy: Policy
  hasArgumentRules: boolean
  /** The host of this URL was named by whoever set the agent up. */
  isConfigured: (url: string) => boolean
}

/** Terms by version, each made once. */
export function termsUnder(config: ServerConfig): (version: AgentVersion | null) => Terms {
  const general = termsOf(config, null)
  const known = new WeakMap<AgentVersion, Terms>()
  return (version) => {
    if (version === null) return general
    const terms = known.get(version) ?? termsOf(config, version)
    known.set(version, terms)
    return terms
  }
}

function termsOf(config: ServerConfig, version: AgentVersion | null): Terms {
  const { max_turns: maxTurns = config.maxTurns } = version?.settings ?? {}
  const { rules, headless, confirmationMinutes } = config.policy
  const own = version?.policy
  const minutes = own?.confirmation_minutes ?? confirmationMinutes
  const instructions = version?.instructions ?? config.systemPrompt
  return {
    instructions,
    maxTurns,
    agentMaxTurns: version?.settings.max_turns,
    consentMs: minutes * 60_000,
    policy: createPolicy({ rules, own: own?.rules ?? [], headless: own?.headless ?? headless }),
    hasArgumentRules: [...rules, ...(own?.rules ?? [])].some((rule) => rule.arguments !== undefined),
    isConfigured: configuredHosts({ ...config, systemPrompt: instructions }),
  }
}
