import type { Seal } from './auth/seal.ts'
import { Meter } from './context/compaction/meter.ts'
import { TokenCounter } from './context/compaction/token-counter.ts'
import type { World } from './feature.ts'
import type { Features } from './features.ts'
import { tokensIn } from './foreign/tokenizer.ts'
import type { KnownModels } from './models/registry.ts'
import type { AcceptOptions } from './runs/accept/request.ts'
import { ModelWindows } from './store/model-windows.ts'
import { plans } from './tasks/plan.ts'

export type AcceptingParts = {
  world: World
  models: KnownModels
  features: Pick<Features, 'own'>
  seal: Seal
}

/** What it takes to accept a message, whoever does: a face, or the end of a compaction that a message waited for. */
export function openAccepting({ world, models, features, seal }: AcceptingParts): AcceptOptions {
  const { config, engine, clock, ids, instance, instances } = world
  return {
    ...{ engine, clock, ids, plans },
    gone: () => instances.gone,
    owner: instance,
    leaseMs: config.leaseMs,
    contextWindow: (model) => models.find(model)?.contextWindow ?? 0,
    seal: (text) => seal.seal(text),
    ownTools: features.own,
  }
}

export function openMeter({ world, models }: Pick<AcceptingParts, 'world' | 'models'>): Meter {
  const { engine, config } = world
  const windows = new ModelWindows(engine)
  return new Meter({
    counter: new TokenCounter(tokensIn),
    windows: {
      of: (model) => windows.of(model, models.find(model)?.contextWindow ?? 0),
      learn: (model, tokens) => windows.learn(model, tokens),
    },
    share: config.compactAt,
  })
}
