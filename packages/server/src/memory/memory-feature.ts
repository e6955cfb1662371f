import type { Feature, World } from '../feature.ts'
import { serverSecrets } from './known-secrets.ts'
import { memoryRoutes } from './memory-routes.ts'
import { recallMemories } from './recall.ts'
import { memoryTools } from './memory-tools.ts'

/** What the agent knows of its user across sessions. `environment`: the server's own, whose secrets nobody's memory holds. */
export function memoryFeature(
  { engine, embedder, clock, config, sealFor }: Pick<World, 'engine' | 'embedder' | 'clock' | 'config' | 'sealFor'>,
  environment: Readonly<Record<string, string | undefined>>,
): Feature {
  const secrets = serverSecrets(environment, config)
  const now = () => new Date(clock.now()).toISOString()
  return {
    name: 'memory',
    tools: memoryTools({ engine, embedder, secrets, seal: sealFor('runtime_env'), now }),
    recall: recallMemories({ engine, embedder }, now),
    isFor: ({ memory_enabled }) => memory_enabled === 1,
    routes: (scope) => memoryRoutes(scope, { engine, secrets, now }),
  }
}
