import type { ChatEndPayload } from '@parley/protocol'
import type { Seal } from './auth/seal.ts'
import type { World } from './feature.ts'
import type { Features } from './features.ts'
import type { FeedSource } from './feed/feed.ts'
import { feedSources } from './feed/feed-sources.ts'
import type { KnownModels } from './models/registry.ts'
import { openAccepting, openMeter } from './open-accepting.ts'
import { openRuns } from './open-runs.ts'
import { openSessions } from './open-sessions.ts'
import { startQueued } from './runs/accept/start-queued.ts'
import type { PointHook } from './runs/points.ts'
import type { ToolsOfSessions } from './session-tools.ts'
import type { Sessions } from './sessions/service.ts'
import type { Engine } from './store/engine.ts'
import { storedOutcome } from './store/run-rows.ts'
import { readStored } from './store/stored-json.ts'
import type { Reader } from './words/reader.ts'

export type CoreOptions = {
  world: World
  models: KnownModels
  features: Pick<Features, 'catalog' | 'own' | 'tables' | 'dropSession' | 'sharesWorkspaces' | 'recall' | 'hasMemory'> &
    Partial<Pick<Features, 'snapshots' | 'afterRun' | 'beginSkill'>>
  tools: ToolsOfSessions
  seal: Seal
  at?: PointHook | undefined
}

/** What every face stands on, and a program that has none. */
export type Core = {
  sessions: Sessions
  /** The journal, as this kind of reader sees it. */
  source: (reader: Reader) => FeedSource
}

/** Begins to work on runs, also on those that somebody else has left. */
export async function openCore(options: CoreOptions, parts: AsyncDisposableStack): Promise<Core> {
  const { journal, engine, config } = options.world
  const meter = openMeter(options)
  const accepting = openAccepting({ ...options, meter })
  const open = (sealed: string) => options.seal.open(sealed)
  const queue = startQueued({ ...accepting, open, language: config.language })
  const runs = await openRuns({ ...options, meter, startQueued: queue }, parts)
  const source = feedSources({
    ...{ journal, now: () => performance.now(), toolNames: options.features.catalog.names },
    outcomeOf: (run_id) => outcomeOf(engine, run_id),
  })
  return { sessions: openSessions({ ...options, runs, accepting, meter }), source }
}

async function outcomeOf(engine: Engine, run_id: string): Promise<ChatEndPayload | null> {
  const outcome = await storedOutcome(engine, run_id)
  return outcome ? ((readStored(outcome) as ChatEndPayload | undefined) ?? null) : null
}
