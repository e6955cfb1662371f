import type { Recall } from '../context/recall.ts'
import { disabledTools } from '../store/session-record.ts'
import { openTo, spaceOf } from './collections.ts'
import { type Finder, findSources } from './find-sources.ts'
import { referenceBlock } from './reference-block.ts'
import { SEARCH_KNOWLEDGE } from './search-tool.ts'
import { numberSources, shownSource } from './sources.ts'
import { askerIn } from './asker.ts'

/** [S15.1] */
const DOCUMENTS = 3
const PASSAGES_EACH = 2

/** [S15.1] Passages for a user's message. A session that may not search has none. */
export function recallKnowledge(finder: Finder): Recall {
  const { engine } = finder
  return async ({ session, text, skips }) => {
    if (skips.includes('knowledge') || disabledTools(session).includes(SEARCH_KNOWLEDGE)) return undefined
    const collections = await engine.read(function* () {
      return yield* openTo(yield* askerIn(session))
    })
    const spaces = collections.map(({ id }) => spaceOf(id))
    if (spaces.length === 0) return undefined
    const found = await findSources(finder, { spaces, query: text, documents: DOCUMENTS, passagesEach: PASSAGES_EACH })
    if (found.length === 0) return undefined
    return {
      *keep(session_id) {
        const numbered = yield* numberSources(session_id, found)
        const sources = numbered.map(shownSource)
        return {
          parts: referenceBlock(numbered),
          turn: { sources },
          notices: (turn_id) => [{ name: 'knowledge:retrieved', payload: { turn_id, sources } }],
        }
      },
    }
  }
}
