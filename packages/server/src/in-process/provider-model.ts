import { clock, ids } from '../clock-and-ids.ts'
import { withDefaults } from '../config/options.ts'
import { createEgress } from '../egress/egress.ts'
import { buildModel, createAgents } from '../models/build-model.ts'
import type { Model } from '../ports.ts'

/** Whom to ask, and how. */
export type ProviderOptions = {
  provider: 'openai-compatible' | 'anthropic' | 'openai' | 'demo'
  /** What the provider calls it. */
  model: string
  /** Base URL of the API. `openai-compatible` needs one. */
  url?: string
  apiKey?: string
  headers?: Readonly<Record<string, string>>
}

/** A model on the wire that its provider speaks. Opens no connection before it is asked. */
export function providerModel(options: ProviderOptions): AsyncDisposable & { model: Model } {
  const egress = createEgress()
  const agents = createAgents(egress)
  const wire = {
    ...{ egress, limits: withDefaults({}).answerLimits },
    sleep: (ms: number, signal: AbortSignal) => clock.sleep(ms, signal),
    newCallId: () => ids.next('call'),
  }
  return {
    model: buildModel({ ...options, id: options.model }, wire, agents),
    async [Symbol.asyncDispose]() {
      for (const agent of Object.values(agents)) agent.destroy()
      await egress[Symbol.asyncDispose]()
    },
  }
}
