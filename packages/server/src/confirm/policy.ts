import { createHash } from 'node:crypto'
import type { JsonValue, Verdict } from '../ports.ts'

/** What the policy looks at. */
export type JudgedTool = { name: string; risk: 'low' | 'medium' | 'high'; requiresConfirmation: boolean }

/** A rule of the configuration. The first that fits a call decides; where none fits, the tool's risk does. */
export type PolicyRule = {
  /** Name of a tool; `*` stands for any characters. */
  tool: string
  /** Arguments by name; `*` stands for any characters. All of them must fit. */
  arguments?: Record<string, string> | undefined
  decision: 'allow' | 'ask' | 'deny'
}

export type PolicyOptions = {
  rules: readonly PolicyRule[]
  /** What happens to a call that wants consent where nobody can give it: end the run, refuse the call, or run it. */
  headless: 'fail' | 'deny' | 'allow'
}

/** `seen`: what rules look at, where that is not the input itself but, say, where its paths lead. Default the input. */
export type Policy = (tool: JudgedTool, input: JsonValue, isHeadless: boolean, seen?: JsonValue) => Verdict

/**
 * The one decision about every call, from every face, loop and mode. Low and medium risk may run; high risk, and whatever
 * wants to be confirmed, asks first; rules say otherwise. It fails closed.
 */
export function createPolicy({ rules, headless }: PolicyOptions): Policy {
  return (tool, input, isHeadless, seen = input) => {
    try {
      const rule = rules.find((one) => fits(one, tool.name, seen, seen !== input))
      const decision = rule?.decision ?? (tool.risk === 'high' || tool.requiresConfirmation ? 'ask' : 'allow')
      if (decision === 'allow') return { type: 'allow' }
      if (decision === 'deny') return { type: 'deny', reason: `${tool.name} is not allowed with these arguments.` }
      if (!isHeadless || headless === 'fail') return { type: 'ask', digest: digestOf(tool.name, input) }
      return headless === 'allow'
        ? { type: 'allow' }
        : { type: 'deny', reason: `${tool.name} needs a person's consent, and nobody is there to give it.` }
    } catch {
      return { type: 'deny', reason: `Nobody could decide whether ${tool.name} may run.` }
    }
  }
}

/** Stands for a tool with exactly these arguments, however they are ordered. */
export function digestOf(tool_name: string, input: JsonValue): string {
  return createHash('sha256')
    .update(JSON.stringify([tool_name, sorted(input)]))
    .digest('hex')
}

function fits(rule: PolicyRule, name: string, input: JsonValue, isSeen: boolean): boolean {
  if (!matches(rule.tool, name)) return false
  const given = typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {}
  return Object.entries(rule.arguments ?? {}).every(([key, pattern]) => {
    const value = given[key]
    if (value === undefined) return false
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    // A path is seen without `./`, whoever writes it into a rule.
    return matches(pattern, text) || (isSeen && matches(pattern.replace(/^(?:\.\/+)+/, ''), text))
  })
}

function matches(pattern: string, text: string): boolean {
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
