import { createHash } from 'node:crypto'
import type { AskReason, PolicyRule } from '@parley/protocol/rest'
import type { JsonValue, Verdict } from '../ports.ts'
import { hostOf } from './hosts-in-text.ts'

/** What the policy looks at. */
export type JudgedTool = {
  name: string
  risk: 'low' | 'medium' | 'high'
  requiresConfirmation: boolean
  /** The URL that a call would ask, where the model chooses it. */
  reaches?: (input: JsonValue) => string
}

/** Where a call is made. */
export type Circumstances = {
  isHeadless: boolean
  /** Of a headless run: whoever wants it has agreed beforehand to what would ask. Default false. */
  hasConsent?: boolean | undefined
  /** The host of this URL was named by somebody who may: a person, the configuration, a search. */
  isNamed: (url: string) => boolean
  /** What rules look at, where that is not the input itself but, say, where its paths lead. Default the input. */
  seen?: JsonValue | undefined
}

export type { PolicyRule }

export type PolicyOptions = {
  rules: readonly PolicyRule[]
  /** An agent's own rules: looked at before the others, but what those deny stays denied. Default none. */
  own?: readonly PolicyRule[]
  /** What happens to a call that wants consent where nobody can give it: end the run, refuse the call, or run it. */
  headless: 'fail' | 'deny' | 'allow'
}

export type Policy = (tool: JudgedTool, input: JsonValue, circumstances: Circumstances) => Verdict

/**
 * The one decision about every call, from every face, loop and mode. Low and medium risk may run; high risk, whatever
 * wants to be confirmed, and a host that nobody named ask first; rules say otherwise. It fails closed.
 */
export function createPolicy({ rules, own = [], headless: unattended }: PolicyOptions): Policy {
  return (tool, input, { isHeadless, hasConsent = false, isNamed, seen = input }) => {
    try {
      const headless = hasConsent ? 'allow' : unattended
      const first = (among: readonly PolicyRule[], by: 'rule' | 'agent_rule') => {
        const index = among.findIndex((one) => fits(one, tool.name, { seen, isOther: seen !== input }))
        return index < 0 ? undefined : { by, number: index + 1, rule: among[index]! }
      }
      const general = first(rules, 'rule')
      const found = general?.rule.decision === 'deny' ? general : (first(own, 'agent_rule') ?? general)
      const rule = found?.rule
      const url = rule ? undefined : tool.reaches?.(input)
      const isStrange = url !== undefined && !isNamed(url)
      const asks = tool.risk === 'high' || tool.requiresConfirmation || isStrange
      const decision = rule?.decision ?? (asks ? 'ask' : 'allow')
      if (decision === 'allow') return { type: 'allow' }
      if (decision === 'deny') return { type: 'deny', reason: `${tool.name} is not allowed with these arguments.` }
      // One strange address is not worth the whole run.
      if (isHeadless && isStrange && headless !== 'allow') return { type: 'deny', reason: strangeHost(tool.name, url) }
      if (!isHeadless || headless === 'fail') {
        const why = { ...NO_RULE, ...(found ?? defaultOf(tool, isStrange ? url : undefined)) }
        return { type: 'ask', digest: callDigest(tool.name, input), why }
      }
      return headless === 'allow'
        ? { type: 'allow' }
        : { type: 'deny', reason: `${tool.name} needs a person's consent, and nobody is there to give it.` }
    } catch {
      return { type: 'deny', reason: `Nobody could decide whether ${tool.name} may run.` }
    }
  }
}

const NO_RULE = { number: null, rule: null, host: null }

/** Why a call asks that no rule is about. */
function defaultOf({ risk }: JudgedTool, strange: string | undefined): Pick<AskReason, 'by' | 'host'> {
  if (risk === 'high') return { by: 'risk', host: null }
  return strange === undefined ? { by: 'tool', host: null } : { by: 'host', host: hostOf(strange) ?? null }
}

/** What is known of a tool's calls before their arguments are. Rules are numbered from 1. */
export type Standing = {
  decision: PolicyRule['decision']
  by: 'rule' | 'risk' | 'confirmation'
  rule: number | null
  /** Rules before that which look at arguments. */
  exceptions: { rule: number; decision: PolicyRule['decision'] }[]
}

/** The first rule about a tool that fits every call of it, or else its risk. */
export function standingOf(
  tool: Pick<JudgedTool, 'name' | 'risk' | 'requiresConfirmation'>,
  rules: readonly PolicyRule[],
): Standing {
  const about = rules
    .map(({ tool: pattern, arguments: given = {}, decision }, at) => ({ pattern, decision, rule: at + 1, given }))
    .filter(({ pattern }) => matches(pattern, tool.name))
  const decides = about.findIndex(({ given }) => Object.keys(given).length === 0)
  const exceptions = about.slice(0, decides < 0 ? undefined : decides).map(({ rule, decision }) => ({ rule, decision }))
  const found = about[decides]
  if (found) return { decision: found.decision, by: 'rule', rule: found.rule, exceptions }
  const asks = tool.risk === 'high' || tool.requiresConfirmation
  const by = tool.requiresConfirmation && tool.risk !== 'high' ? 'confirmation' : 'risk'
  return { decision: asks ? 'ask' : 'allow', by, rule: null, exceptions }
}

/** Which rule decides about a call, counted from 1, and how. */
export function ruleFor(name: string, input: JsonValue, rules: readonly PolicyRule[]) {
  const at = rules.findIndex((rule) => fits(rule, name, { seen: input, isOther: false }))
  return at < 0 ? undefined : { rule: at + 1, decision: rules[at]!.decision }
}

function strangeHost(name: string, url: string): string {
  const host = URL.parse(url)?.host || 'this address'
  return `${name} may not ask ${host}: no message of the user, search result or configuration has named that host, and nobody is there to agree to it.`
}

/** Stands for a tool with exactly these arguments, however they are ordered. */
export function callDigest(tool_name: string, input: JsonValue): string {
  return createHash('sha256')
    .update(JSON.stringify([tool_name, sorted(input)]))
    .digest('hex')
}

/** The rules that can never decide anything, because no tool has such a name. */
export function uselessRules(rules: readonly PolicyRule[], names: readonly string[]): PolicyRule[] {
  return rules.filter(({ tool }) => !names.some((name) => matches(tool, name)))
}

/** Whether a rule is about a call. `isOther`: `seen` is not the input itself, but where its paths lead. */
export function fits(
  rule: Pick<PolicyRule, 'tool' | 'arguments'>,
  name: string,
  { seen, isOther }: { seen: JsonValue; isOther: boolean },
): boolean {
  if (!matches(rule.tool, name)) return false
  const given = typeof seen === 'object' && seen !== null && !Array.isArray(seen) ? seen : {}
  return Object.entries(rule.arguments ?? {}).every(([key, pattern]) => {
    const value = given[key]
    if (value === undefined) return false
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    // A path is seen without `./`, whoever writes it into a rule.
    return matches(pattern, text) || (isOther && matches(pattern.replace(/^(?:\.\/+)+/, ''), text))
  })
}

/** Whether a text is what a pattern says, in which `*` stands for any characters. */
export function matches(pattern: string, text: string): boolean {
  const [first, ...rest] = pattern.split('*')
  if (rest.length === 0) return text === pattern
  if (!text.startsWith(first!)) return false
  let at = first!.length
  const last = rest.pop()!
  for (const piece of rest) {
    const found = text.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key]!)]),
  )
}
