import { grants, type ToolSource } from '../tools/catalog.ts'
import { listedTool } from '../tools/listed-tool.ts'
import { askerOf } from './asker.ts'
import { openTo } from './collections.ts'
import type { Finder } from './find-sources.ts'
import { SEARCH_KNOWLEDGE, searchKnowledge } from './search-tool.ts'

/** Sessions whose last look is remembered; before each run there is another. */
const REMEMBERED = 5_000

/** The search is offered where there is something to find: a tool that never helps costs every call its description. */
export function offeredSearch(finder: Finder): ToolSource {
  const { engine } = finder
  const tool = searchKnowledge(finder)
  const withDocuments = new Set<string>()
  return {
    of: ({ session_id, agent }) => (withDocuments.has(session_id) && grants(agent, SEARCH_KNOWLEDGE) ? [tool] : []),
    async refresh({ session_id }, called) {
      const collections = await engine.read(function* () {
        const asker = yield* askerOf(session_id)
        return asker ? yield* openTo(asker) : []
      })
      withDocuments.delete(session_id)
      if (!called.includes(SEARCH_KNOWLEDGE) && collections.length === 0) return
      withDocuments.add(session_id)
      if (withDocuments.size > REMEMBERED) withDocuments.delete(withDocuments.values().next().value!)
    },
    async listed(language) {
      const [any] = await engine.select('SELECT 1 AS n FROM knowledge_documents LIMIT 1', [])
      return any ? [listedTool(tool, language)] : []
    },
    names: (_session_id, called) => (called === SEARCH_KNOWLEDGE ? tool.display_name : undefined),
  }
}
