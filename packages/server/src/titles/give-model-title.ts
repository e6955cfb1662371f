import { ROOT_LOOP, textOf } from '@parley/protocol'
import type { Model } from '../ports.ts'
import { appendEvents, type TurnRow } from '../store/append.ts'
import type { Engine } from '../store/engine.ts'
import type { Journal } from '../store/journal.ts'
import { readTurn } from '../store/read-turn.ts'
import { isChat } from '../store/run-rows.ts'
import { replaceTitle, titleOf } from '../store/session-title.ts'
import { runSql, type Work } from '../store/work.ts'
import { readTitle, titleRequest } from './title-request.ts'

export type TitleOptions = { engine: Engine; journal: Journal; model: Model }

const PATIENCE_MS = 20_000
const MAX_ANSWER = 2_000

/** After the first run of a session: a title by the model in place of the first words, unless a person has named it. */
export async function giveModelTitle(
  { session_id, run_id }: { session_id: string; run_id: string },
  signal: AbortSignal,
  { engine, journal, model }: TitleOptions,
): Promise<void> {
  const found = await engine.read(() => findUntitled(session_id, run_id))
  if (!found) return
  const { session, words } = found
  const text = await ask(model, found, AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]))
  const title = readTitle(text)
  if (title === undefined || title === words || signal.aborted) return
  await engine.write(function* () {
    const named = yield* replaceTitle(engine, session, { from: words, title })
    if (!named) return
    const data = JSON.stringify({ intent: title, updated_at: named.updated_at })
    const event = { type: 'session:updated', data, run_id: null, loop_id: null, turn_id: null }
    yield* appendEvents(journal.appending(session_id, null, [event]))
  })
}

type Untitled = { session: { id: string; user_id: string }; words: string; asked: string; answered: string }

/** A session that this run was the first of, and that is called by its first words. */
function* findUntitled(session_id: string, run_id: string): Work<Untitled | undefined> {
  const [session] = yield* runSql<{ id: string; user_id: string; intent: string; first: string | null }>(
    `SELECT id, user_id, intent,
        (SELECT r.id FROM runs r WHERE r.session_id = s.id AND ${isChat('r.id')} ORDER BY r.first_seq LIMIT 1) AS first
      FROM sessions s WHERE id = ?`,
    [session_id],
  )
  if (session?.first !== run_id || session.intent === '') return undefined
  const rows = yield* runSql<Omit<TurnRow, 'messages'>>(
    `SELECT turn_id, sequence, run_id, loop_id, status, projection FROM turns
      WHERE session_id = ? AND run_id = ? AND loop_id = ? ORDER BY sequence`,
    [session_id, run_id, ROOT_LOOP],
  )
  const turns = rows.map(readTurn)
  const asked = turns.find(({ role }) => role === 'user')
  const words = asked && titleOf(textOf(asked))
  if (!asked || words !== session.intent) return undefined
  const answered = turns.findLast(({ role }) => role === 'assistant')
  return { session, words, asked: textOf(asked), answered: answered ? textOf(answered) : '' }
}

/** A model that fails gives no title. */
async function ask(model: Model, said: Untitled, signal: AbortSignal): Promise<string> {
  let text = ''
  for await (const event of model.stream(titleRequest(said, signal))) {
    if (event.type === 'failed') throw new Error(event.failure.message)
    if (event.type === 'text') text += event.delta
    // Leaving the loop closes the connection.
    if (text.length > MAX_ANSWER) break
  }
  return text
}
