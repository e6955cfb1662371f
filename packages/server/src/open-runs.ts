import { agentsHere } from './agents/agents-here.ts'
import type { World } from './feature.ts'
import type { Features } from './features.ts'
import type { KnownModels } from './models/registry.ts'
import type { PointHook } from './runs/points.ts'
import { startExpiry } from './runs/expire-confirmations.ts'
import { Runs } from './runs/runs.ts'
import type { RunsOptions } from './runs/runs-options.ts'
import type { ToolsOfSessions } from './session-tools.ts'
import { startJanitor } from './store/janitor.ts'
import { startInstance } from './store/instances.ts'

export type OpenRunsOptions = {
  world: World
  models: KnownModels
  features: Pick<Features, 'own' | 'sharesWorkspaces'> & Partial<Pick<Features, 'snapshots' | 'afterRun'>>
  tools: ToolsOfSessions
  at?: PointHook | undefined
} & Pick<RunsOptions, 'meter' | 'startQueued'>

/** Runs of this instance, its signs of life, and what is done for all runs now and then. */
export async function openRuns(
  { world, models, features, tools, at, meter, startQueued }: OpenRunsOptions,
  parts: AsyncDisposableStack,
): Promise<Runs> {
  const { config, engine, journal, clock, ids, instance, instances, logger } = world
  const { leaseMs, language, drainMs } = config
  const orWarn = (what: string) => (error: unknown) => logger.warn({ err: error }, what)
  const here = agentsHere(world)
  const runs = parts.use(
    new Runs({
      ...{ engine, clock, ids, instance, leaseMs, language, drainMs, meter, startQueued },
      monotonicNow: () => clock.elapsed(),
      model: models.find,
      hasModel: models.has,
      ownTools: features.own,
      hasAgent: here.has,
      gone: () => instances.gone,
      sharesWorkspaces: features.sharesWorkspaces,
      setup: tools.forRun,
      states: features.snapshots,
      afterRun: features.afterRun,
      onError: (error, { session_id, run_id }) =>
        logger.error({ err: error, session_id, run_id }, 'a run left this instance'),
      ...(at && { at }),
    }),
  )
  const offer = () => ({ models: models.ids(), tools: features.own(), lacks: here.lacking() })
  const onSilence = orWarn('no sign of life could be given')
  parts.use(await startInstance({ engine, id: instance, leaseMs, offer, onError: onSilence }))
  parts.use(startJanitor(engine, orWarn('the journal could not be pruned')))
  engine.onNudge((session_id) => runs.nudgedFromOutside(session_id))
  runs.start()
  parts.use(
    startExpiry(
      { engine, clock, ids, journal, tellOwner: (id) => runs.tellOwner(id) },
      orWarn('confirmations could not be expired'),
    ),
  )
  return runs
}
