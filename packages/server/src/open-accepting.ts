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
  features: Pick<Features, 'own'>
  seal: Seal
  meter: Meter
}

/** What it takes to accept a message, whoever does: a face, or the end of a compaction that a message waited for. */
export function openAccepting({ world, features, seal, meter }: AcceptingParts): AcceptOptions {
  const { config, engine, clock, ids, instance, instances } = world
  return {
    ...{ engine, clock, ids, plans },
    gone: () => instances.gone,
    owner: instance,
    leaseMs: config.leaseMs,
    contextWindow: (model) => meter.knownWindow(model),
    seal: (text) => seal.seal(text),
    ownTools: features.own,
  }
}

export function openMeter({ world, models }: { world: World; models: KnownModels }): Meter {
  const { engine, config } = world
  const configured = (model: string) => models.find(model)?.contextWindow ?? 0
  const windows = new ModelWindows(engine)
  return new Meter({
    counter: new TokenCounter(tokensIn),
    windows: {
      of: (model) => windows.of(model, configured(model)),
      known: (model) => windows.known(model, configured(model)),
      learn: (model, tokens) => windows.learn(model, tokens),
    },
    share: config.compactAt,
  })
}
