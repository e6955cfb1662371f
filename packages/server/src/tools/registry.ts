import { AgentError } from '@parley/protocol'
import type { Circumstances, Policy } from '../confirm/policy.ts'
import type { JsonValue, Tool, Tools } from '../ports.ts'
import { bindTool, type ToolDefinition, type ToolSession } from './define-tool.ts'
import { seenBy } from './file-ops/path-argument.ts'

export type SessionTools = ToolSession &
  Circumstances & {
    language: 'zh' | 'en'
    disabled: readonly string[]
    /** Only tools that change nothing, and those that make a plan. */
    isPlanning: boolean
    policy: Policy
    /** Where the workspace is, made or not, when rules look at arguments: they see where paths lead in it. */
    directory?: string | undefined
  }

/** The loop's own business, but no call is beyond the policy. */
const FORK = { name: 'Agent', risk: 'low', requiresConfirmation: false } as const

/**
 * The tools of one session, without those it has switched off: what is not here cannot be called. `definitions` is asked
 * every time: foreign tools come and go, skills are added while a run is under way.
 */
export function toolsFor(
  definitions: () => readonly ToolDefinition[],
  { language, disabled, isPlanning, isHeadless, hasConsent, isNamed, policy, directory, ...session }: SessionTools,
): Tools {
  const circumstances = { isHeadless, hasConsent, isNamed }
  const bound = new WeakMap<ToolDefinition, Tool>()
  /** Which place rules saw for an input, which is the very one that runs. */
  const judged = new WeakMap<object, string>()
  const mayTouch = (input: JsonValue, place: string) => {
    const seen = judged.get(input as object)
    if (seen === undefined || seen === place) return
    throw new AgentError('invalid_path', `The path leads to ${place} by now, and not to ${seen}. Try again.`)
  }
  const bind = (definition: ToolDefinition): Tool => {
    const known = bound.get(definition) ?? bindTool(definition, language, { ...session, mayTouch })
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
      const definition = find(name)
      if (!definition && name === FORK.name) return policy(FORK, input, circumstances)
      if (!definition) return { type: 'deny', reason: `There is no tool named ${name}.` }
      try {
        const seen = directory === undefined ? undefined : seenBy(definition, input, directory)
        if (seen) judged.set(input as object, seen.place)
        return policy(definition, input, { ...circumstances, seen: seen?.input })
      } catch (error) {
        return { type: 'deny', reason: (error as Error).message }
      }
    },
  }
}
