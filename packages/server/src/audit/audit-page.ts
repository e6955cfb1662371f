import { AgentError } from '@parley/protocol'
import type { AuditPage } from '@parley/protocol/rest'
import type { auditQuerySchema } from '@parley/protocol/schemas'
import type { z } from 'zod'
import { runSql, type Work } from '../store/work.ts'
import { placesOf } from './audit-places.ts'

type Filter = z.output<typeof auditQuerySchema>
type Row = {
  id: number
  at: number
  actor: string
  actor_name: string | null
  action: string
  subject: string
  detail: string | null
}
type Condition = { sql: string; values: (string | number)[] }

/** The newest first. A row never changes, so no page moves under its reader. */
export function* auditPage(filter: Filter, reader_id: string): Work<AuditPage> {
  const conditions = conditionsOf(filter)
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`
  const rows = yield* runSql<Row>(
    `SELECT a.id, a.at, a.actor, coalesce(u.display_name, u.external_id, u.username) AS actor_name, a.action, a.subject, a.detail
      FROM audit a LEFT JOIN users u ON u.id = a.actor ${where} ORDER BY a.at DESC, a.id DESC LIMIT ?`,
    [...conditions.flatMap(({ values }) => values), filter.limit + 1],
  )
  const page = rows.slice(0, filter.limit)
  const places = yield* placesOf(page, reader_id)
  const last = rows.length > page.length ? page.at(-1) : undefined
  return {
    items: page.map(({ at, ...row }, index) => ({ ...row, ...places[index]!, at: new Date(at).toISOString() })),
    next_before: last ? `${last.at}.${last.id}` : null,
  }
}

function conditionsOf({ actor, action, subject, from, to, before }: Filter): Condition[] {
  return [
    ...(actor === undefined ? [] : [{ sql: 'a.actor = ?', values: [actor] }]),
    ...(action === undefined ? [] : [ofAction(action)]),
    ...(subject === undefined ? [] : [{ sql: 'a.subject = ?', values: [subject] }]),
    ...(from === undefined ? [] : [{ sql: 'a.at >= ?', values: [Date.parse(from)] }]),
    ...(to === undefined ? [] : [{ sql: 'a.at < ?', values: [Date.parse(to)] }]),
    ...(before === undefined ? [] : [olderThan(before)]),
  ]
}

/** `api_key.` is every action that begins like that. */
function ofAction(action: string): Condition {
  if (!action.endsWith('.')) return { sql: 'a.action = ?', values: [action] }
  // The sign after the dot.
  return { sql: 'a.action >= ? AND a.action < ?', values: [action, `${action.slice(0, -1)}/`] }
}

function olderThan(before: string): Condition {
  const [, at, id] = /^(\d{1,15})\.(\d{1,15})$/.exec(before) ?? []
  if (id === undefined) throw new AgentError('invalid_payload', 'before: not one that a page has given.')
  return { sql: '(a.at, a.id) < (?, ?)', values: [Number(at), Number(id)] }
}
