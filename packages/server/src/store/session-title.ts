import type { Engine } from './engine.ts'
import { indexDocument } from './search-index.ts'
import type { SessionRow } from './session-record.ts'
import { runSql, type Work } from './work.ts'

// The title of a session is its `intent`: given when it is created, by whoever renames it, by its first message, or by a
// model in place of that. It is kept in the session's row, found by its words, and told to clients with `session:updated`.

type Titled = Pick<SessionRow, 'id' | 'user_id'>

const TITLE_CHARACTERS = 60

/** How ChatKit puts the page that somebody looks at before what they say. */
const PAGE_CONTEXT = /^【上下文: .+】\n[\s\S]*?\n\n/

/** The title that a message gives to a session without one: its first words. */
export function titleOf(message: string): string | undefined {
  const line = message
    .replace(PAGE_CONTEXT, '')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  if (!line) return undefined
  const characters = [...line]
  return characters.length <= TITLE_CHARACTERS ? line : `${characters.slice(0, TITLE_CHARACTERS).join('')}…`
}

export function* giveTitle(
  engine: Engine,
  session: Titled,
  { title, updated_at }: { title: string; updated_at: string },
): Work<void> {
  yield* runSql('UPDATE sessions SET intent = ?, updated_at = ? WHERE id = ?', [title, updated_at, session.id])
  yield* indexTitle(engine, session, title)
}

/** In place of the title it has; `false` when somebody has given it another one meanwhile. */
export function* replaceTitle(
  engine: Engine,
  session: Titled,
  { from, title, updated_at }: { from: string; title: string; updated_at: string },
): Work<boolean> {
  const rows = yield* runSql(
    'UPDATE sessions SET intent = ?, updated_at = ? WHERE id = ? AND intent = ? RETURNING id',
    [title, updated_at, session.id, from],
  )
  if (rows.length === 0) return false
  yield* indexTitle(engine, session, title)
  return true
}

/** Of a session that has its title from the start. */
export function* indexTitle(engine: Engine, { id, user_id }: Titled, title: string): Work<void> {
  yield* indexDocument(engine, { user_id, kind: 'session', parent_id: id, ref: 'title', text: title })
}
