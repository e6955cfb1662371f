import { AgentError } from '@parley/protocol'
import {
  documentChangeSchema,
  documentInputSchema,
  documentsQuerySchema,
  knowledgeSearchSchema,
} from '@parley/protocol/schemas'
import type { Knowledge } from '../knowledge/knowledge.ts'
import type { GivenKnowledge } from './in-process.ts'

/** One user's documents, for a program: what it gives is checked as what comes over the wire is. */
export function givenKnowledge(knowledge: Knowledge, user_id: string): GivenKnowledge {
  return {
    add: async (input) => knowledge.add(user_id, read(documentInputSchema, input)),
    get: (id) => knowledge.get(user_id, id),
    change: async (id, change) => knowledge.change(user_id, id, read(documentChangeSchema, change)),
    delete: (id) => knowledge.delete(user_id, id),
    list: async (query) => knowledge.list(user_id, read(documentsQuerySchema, query)),
    categories: () => knowledge.categories(user_id),
    search: async (asked) => knowledge.search(user_id, read(knowledgeSearchSchema, asked)),
  }
}

type Decoded<T> =
  | { success: true; data: T }
  | { success: false; error: { issues: { path: PropertyKey[]; message: string }[] } }

function read<T>(schema: { safeParse: (given: unknown) => Decoded<T> }, given: unknown): T {
  const decoded = schema.safeParse(given)
  if (decoded.success) return decoded.data
  const problems = decoded.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new AgentError('invalid_payload', problems.join('; '))
}
