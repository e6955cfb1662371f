import { sessionQuerySchema } from '@parley/protocol/schemas'
import type { Engine } from '../store/engine.ts'
import { findParents } from '../store/search-index.ts'
import { sessionRows, toSession } from '../store/session-record.ts'
import { run } from '../store/work.ts'
import type { Sessions } from './service.ts'

/** How many sessions a text search looks at. */
const SEARCH_LIMIT = 1_000

export function listSessions({ engine }: { engine: Engine }): Sessions['list'] {
  return async ({ user_id }, query) => {
    const { q, limit, offset, status, template_id_prefix } = sessionQuerySchema.parse(query)
    const page = { limit, offset, content_match_truncated: false }
    if (template_id_prefix) return { ...page, items: [], total: 0 }
    return engine.read(function* () {
      let mine = sessionRows(engine).where('sessions.user_id', '=', user_id)
      if (status) mine = mine.where('sessions.status', '=', status)
      if (q !== undefined && q.trim() !== '') {
        const found = yield* findParents(engine, { user_id, kind: 'session', query: q, limit: SEARCH_LIMIT })
        if (found.length === 0) return { ...page, items: [], total: 0 }
        page.content_match_truncated = found.length === SEARCH_LIMIT
        mine = mine.where('sessions.id', 'in', found)
      }
      const [count] = yield* run(mine.clearSelect().select((eb) => eb.fn.countAll<number>().as('n')))
      const rows = yield* run(
        mine
          .orderBy('sessions.is_pinned', 'desc')
          .orderBy('sessions.updated_at', 'desc')
          .orderBy('sessions.id')
          .limit(limit)
          .offset(offset),
      )
      return { ...page, items: rows.map(toSession), total: count?.n ?? 0 }
    })
  }
}
