import { AgentError } from '@parley/protocol'
import { sessionQuerySchema } from '@parley/protocol/schemas'
import type { ExpressionBuilder } from 'kysely'
import type { Engine } from '../store/engine.ts'
import type { Schema } from '../store/schema.ts'
import { findParents } from '../store/search-index.ts'
import { type SessionRow, sessionRows, toSession } from '../store/session-record.ts'
import { run } from '../store/work.ts'
import type { Sessions } from './service.ts'

/** How many sessions a text search looks at. */
const SEARCH_LIMIT = 1_000

export function listSessions({ engine }: { engine: Engine }): Sessions['list'] {
  return async ({ user_id }, query) => {
    const { q, limit, offset, status, template_id_prefix, before, changed_since } = sessionQuerySchema.parse(query)
    const page = { limit, offset, next: null, content_match_truncated: false }
    const cursor = before === undefined ? undefined : readCursor(before)
    if (template_id_prefix) return { ...page, items: [], total: 0 }
    return engine.read(function* () {
      let mine = sessionRows(engine).where('sessions.user_id', '=', user_id)
      if (status) mine = mine.where('sessions.status', '=', status)
      if (changed_since) mine = mine.where('sessions.updated_at', '>', new Date(changed_since).toISOString())
      if (q !== undefined && q.trim() !== '') {
        const found = yield* findParents(engine, { user_id, kind: 'session', query: q, limit: SEARCH_LIMIT })
        if (found.length === 0) return { ...page, items: [], total: 0 }
        page.content_match_truncated = found.length === SEARCH_LIMIT
        mine = mine.where('sessions.id', 'in', found)
      }
      const [count] = yield* run(mine.clearSelect().select((eb) => eb.fn.countAll<number>().as('n')))
      if (cursor) mine = mine.where((eb) => comesAfter(eb, cursor))
      const rows = yield* run(
        mine
          .orderBy('sessions.is_pinned', 'desc')
          .orderBy('sessions.updated_at', 'desc')
          .orderBy('sessions.id')
          .limit(limit + 1)
          .offset(offset),
      )
      const shown = rows.slice(0, limit)
      const last = rows.length > limit ? shown.at(-1) : undefined
      return { ...page, items: shown.map(toSession), total: count?.n ?? 0, next: last ? cursorOf(last) : null }
    })
  }
}

/** Where a page ended, in the order of the list: what moves to its top meanwhile makes nobody appear twice. */
type Cursor = Pick<SessionRow, 'is_pinned' | 'updated_at' | 'id'>

function cursorOf({ is_pinned, updated_at, id }: Cursor): string {
  return [is_pinned, updated_at, id].join(',')
}

function readCursor(text: string): Cursor {
  const [, pinned, updated_at, id] = /^([01]),([^,\0]+),([^\0]+)$/.exec(text) ?? []
  if (updated_at === undefined || id === undefined)
    throw new AgentError('invalid_payload', 'before: This is not the `next` of a page.')
  return { is_pinned: pinned === '1' ? 1 : 0, updated_at, id }
}

function comesAfter(eb: ExpressionBuilder<Schema, 'sessions'>, { is_pinned, updated_at, id }: Cursor) {
  return eb.or([
    eb('sessions.is_pinned', '<', is_pinned),
    eb.and([eb('sessions.is_pinned', '=', is_pinned), eb('sessions.updated_at', '<', updated_at)]),
    eb.and([
      eb('sessions.is_pinned', '=', is_pinned),
      eb('sessions.updated_at', '=', updated_at),
      eb('sessions.id', '>', id),
    ]),
  ])
}
