import type { KnownSecret } from '../config/server-secrets.ts'
import type { Feature, World } from '../feature.ts'
import { forgetAll } from './change-memories.ts'
import { memoryRoutes } from './memory-routes.ts'
import { recallMemories } from './recall.ts'
import { memoryTools } from './memory-tools.ts'

/** What the agent knows of its user across sessions. `secrets`: the server's own, which nobody's memory holds. */
export function memoryFeature(
  { engine, embedder, clock, sealFor }: Pick<World, 'engine' | 'embedder' | 'clock' | 'sealFor'>,
  secrets: readonly KnownSecret[],
): Feature {
  const now = () => new Date(clock.now()).toISOString()
  return {
    name: 'memory',
    tools: memoryTools({ engine, embedder, secrets, sealFor, now }),
    recall: recallMemories({ engine, embedder }, now),
    isFor: ({ memory_enabled }) => memory_enabled === 1,
    dropUser: (user_id) => forgetAll(engine, user_id),
    routes: (scope) => memoryRoutes(scope, { engine, secrets, sealFor, now }),
  }
}
