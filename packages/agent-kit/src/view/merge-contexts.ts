import type { ApplicationContext } from '@parley/chatkit'
import type { PendingContext } from '../sessions/ui-bridge-store.ts'

/** Several contexts as the one that goes with a message. */
export function mergeContexts(contexts: readonly Pick<PendingContext, 'label' | 'content'>[]): ApplicationContext {
  const title = contexts.map(({ label }) => label).join(', ')
  return { title, data: Object.fromEntries(contexts.map(({ label, content }) => [label, content])) }
}
