import { tellOfSession } from './account-changes.ts'
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

/** A new name is no news of the conversation: the session keeps its time, and so its place in lists. */
export function* giveTitle(engine: Engine, session: Titled, title: string): Work<void> {
  yield* runSql('UPDATE sessions SET intent = ? WHERE id = ?', [title, session.id])
  yield* tellOfSession(session.user_id, session.id)
  yield* indexTitle(engine, session, title)
}

/** In place of the title it has; `undefined` when somebody has given it another one meanwhile. */
export function* replaceTitle(
  engine: Engine,
  session: Titled,
  { from, title }: { from: string; title: string },
): Work<{ updated_at: string } | undefined> {
  const [row] = yield* runSql<{ updated_at: string }>(
    'UPDATE sessions SET intent = ? WHERE id = ? AND intent = ? RETURNING updated_at',
    [title, session.id, from],
  )
  if (!row) return undefined
  yield* tellOfSession(session.user_id, session.id)
  yield* indexTitle(engine, session, title)
  return row
}

/** Of a session that has its title from the start. */
export function* indexTitle(engine: Engine, { id, user_id }: Titled, title: string): Work<void> {
  yield* indexDocument(engine, { user_id, kind: 'session', parent_id: id, ref: 'title', text: title })
}
