import type { Model, ModelFailure } from '../ports.ts'
import type { StoredModelId } from '../store/stored-model-id.ts'

/** Where a model of a stored configuration is, and the key for it. */
export type StoredEndpoint = { url: string; apiKey: string }

export type StoredModels = {
  /** `undefined`: there is no such configuration, it is switched off, or it has no such model. */
  load: (id: StoredModelId) => Promise<StoredEndpoint | undefined>
}

export type StoredModelOptions = {
  /** As sessions name it. */
  id: string
  named: StoredModelId
  stored: StoredModels
  /** Opens no connection. Throws where that address may not be asked. */
  build: (endpoint: StoredEndpoint) => Model
}

/**
 * A model of a configuration that lies in the database, which is read when the model is asked: a new key counts at once, and
 * so does a switch, on every instance.
 */
export function storedModel({ id, named, stored, build }: StoredModelOptions): Model {
  return {
    async *stream(request) {
      const found = await buildNow({ stored, named, build })
      if (request.signal.aborted) return
      if ('stream' in found) yield* found.stream(request)
      else yield { type: 'failed', failure: failureOf(id, found.problem), usage: null }
    },
  }
}

async function buildNow({
  stored,
  named,
  build,
}: Omit<StoredModelOptions, 'id'>): Promise<Model | { problem: string }> {
  try {
    const endpoint = await stored.load(named)
    return endpoint ? build(endpoint) : { problem: 'this model configuration is gone, switched off or changed' }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

function failureOf(id: string, problem: string): ModelFailure {
  return { kind: 'invalid', message: `${id}: ${problem}`, incomplete: false }
}
