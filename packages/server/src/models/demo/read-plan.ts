import { parseBoundedJson } from '@parley/protocol/wire'

/** The last plan of a conversation, as the model gets it. */
export type DemoPlan = { steps: { id: string; title: string }[] }

export function readPlan(result: string): DemoPlan | undefined {
  const { steps } = (parseBoundedJson(result) ?? {}) as { steps?: unknown }
  if (!Array.isArray(steps)) return undefined
  return {
    steps: steps.flatMap((step: { id?: unknown; title?: unknown } | null) =>
      typeof step?.id === 'string' && typeof step.title === 'string' ? [{ id: step.id, title: step.title }] : [],
    ),
  }
}
