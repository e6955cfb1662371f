import type { Policy } from '../confirm/policy.ts'
import type { Tool, Tools } from '../ports.ts'
import { bindTool, type ToolDefinition, type ToolSession } from './define-tool.ts'

export type SessionTools = ToolSession & {
  language: 'zh' | 'en'
  disabled: readonly string[]
  /** Only tools that change nothing, and those that make a plan. */
  isPlanning: boolean
  isHeadless: boolean
  policy: Policy
}

/** The loop's own business, but no call is beyond the policy. */
const FORK = { name: 'Agent', risk: 'low', requiresConfirmation: false } as const

/**
 * The tools of one session, without those it has switched off: what is not here cannot be called. `definitions` is asked
 * every time: foreign tools come and go, skills are added while a run is under way.
 */
export function toolsFor(
  definitions: () => readonly ToolDefinition[],
  { language, disabled, isPlanning, isHeadless, policy, ...session }: SessionTools,
): Tools {
  const bound = new WeakMap<ToolDefinition, Tool>()
  const bind = (definition: ToolDefinition): Tool => {
    const known = bound.get(definition) ?? bindTool(definition, language, session)
    bound.set(definition, known)
    return known
  }
  const isOffered = ({ name, readOnly, planning = readOnly ? 'both' : 'executing' }: ToolDefinition) =>
    !disabled.includes(name) && planning !== (isPlanning ? 'executing' : 'planning')
  const find = (name: string) => definitions().find((tool) => tool.name === name && isOffered(tool))
  return {
    list: () => definitions().filter(isOffered).map(bind),
    find(name) {
      const definition = find(name)
      return definition && bind(definition)
    },
    judge({ name }, input) {
      const definition = find(name) ?? (name === FORK.name ? FORK : undefined)
      if (!definition) return { type: 'deny', reason: `There is no tool named ${name}.` }
      return policy(definition, input, isHeadless)
    },
  }
}
