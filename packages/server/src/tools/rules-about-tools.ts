import { type PolicyRule, uselessRules } from '../confirm/policy.ts'
import { nearestName } from '../words/nearest-name.ts'
import type { McpServers } from './mcp/mcp-servers.ts'

/** Names of tools that come and go, and of the loop's own. */
const RESERVED = /^(?:mcp__|skill__|submit_result$|AskUserQuestion$|Agent$)/

/** Whether no tool that somebody brings along may have this name. */
export function isReservedName(name: string): boolean {
  return RESERVED.test(name)
}

/**
 * Whether a tool of a skill that would be called `name` must be called `prefixed`. What a rule allows must not be taken by
 * a skill; and a rule about a skill's tools must find them.
 */
export function isReserved(rules: readonly PolicyRule[], name: string, prefixed: string): boolean {
  const named = rules.filter(({ tool }) => !/^\*+$/.test(tool))
  const allows = named.filter(({ decision }) => decision === 'allow')
  return (
    isReservedName(name) ||
    uselessRules(allows, [name]).length < allows.length ||
    uselessRules(named, [prefixed]).length < named.length
  )
}

export type KnownTools = {
  names: readonly string[]
  mcp: McpServers
  signal: AbortSignal
  warn: (message: string) => void
}

/** A rule that fits no tool protects from nothing, and its author believes that it does. */
export async function sayUselessRules(
  rules: readonly PolicyRule[],
  { names, mcp, signal, warn }: KnownTools,
): Promise<void> {
  await mcp.allTried()
  if (signal.aborted) return
  const all = [...names, ...mcp.offeredNames]
  for (const { tool, decision } of uselessRules(rules, all)) {
    // These may come later: the tools of a server that is down, and skills that are uploaded to a session.
    if ((tool.startsWith('mcp__') && !mcp.isComplete) || tool.startsWith('skill__')) continue
    const meant = nearestName(tool, all)
    warn(
      `The rule { tool: "${tool}", decision: "${decision}" } of the policy never decides: no tool has such a name.${meant ? ` Did you mean ${meant}?` : ''}`,
    )
  }
}
