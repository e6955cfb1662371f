import { clock, ids } from '../../packages/server/src/clock-and-ids.ts'
import { collectionsOf, spaceOf } from '../../packages/server/src/knowledge/collections.ts'
import { type Found, findSources } from '../../packages/server/src/knowledge/find-sources.ts'
import { Knowledge } from '../../packages/server/src/knowledge/knowledge.ts'
import { DocumentReader } from '../../packages/server/src/knowledge/reading/document-reader.ts'
import type { Engine } from '../../packages/server/src/store/engine.ts'

export const ACCOUNT = 'user_bench'

export type OpenKnowledge = AsyncDisposable & {
  knowledge: Knowledge
  /** As a message asks: the passages of so many documents, so many of each. */
  find: (query: string, most: { documents: number; passagesEach: number }) => Promise<Found[]>
}

/** The product's own code over a database: cut, stored and searched as a server does it. */
export function openKnowledge(engine: Engine): OpenKnowledge {
  const reader = new DocumentReader()
  return {
    knowledge: new Knowledge({ engine, clock, ids, reader }),
    async find(query, most) {
      const collections = await engine.read(() => collectionsOf(ACCOUNT))
      return findSources({ engine }, { spaces: collections.map(({ id }) => spaceOf(id)), query, ...most })
    },
    [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
  }
}
