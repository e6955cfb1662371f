import type { Feature, World } from '../feature.ts'
import { crashRoutes } from './crash-routes.ts'

export type CrashSettings = {
  /** Who starts this process again; `null`: nobody. */
  supervisor: { restarts: number } | null
  /** No real model is there. */
  isDemo: boolean
}

/** A server that shows what it survives. */
export function crashFeature(world: World, settings: CrashSettings): Feature {
  return { name: 'crash', routes: (scope) => crashRoutes(scope, { world, settings }) }
}
