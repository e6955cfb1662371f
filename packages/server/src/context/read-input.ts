import type { ModelInput, ModelMessage, ToolSpec } from '../ports.ts'
import { readStored, readStoredList } from '../store/stored-json.ts'
import { runSql, type Work } from '../store/work.ts'
import { NO_LINK, type StoredInput, textOfContent } from './model-inputs.ts'

type Content = { content: string; packed: number }

// A link is `<the link before it> <a message>`; both are digests, of the length that NO_LINK has.
const MESSAGES = `WITH RECURSIVE chain (link, place) AS (
    SELECT content, 0 FROM contents WHERE session_id = ? AND digest = ?
    UNION ALL
    SELECT c.content, chain.place + 1 FROM chain JOIN contents c
      ON c.session_id = ? AND c.digest = substr(chain.link, 1, ${NO_LINK.length})
  )
  SELECT m.content, m.packed, chain.link FROM chain LEFT JOIN contents m
    ON m.session_id = ? AND m.digest = substr(chain.link, ${NO_LINK.length + 2}) ORDER BY chain.place DESC`

/** What a model was given, as it was given; `undefined` when not all of it can be read. */
export function* readInput(session_id: string, stored: StoredInput): Work<ModelInput | undefined> {
  const { model: _model, system, tools, messages, ...parameters } = stored
  const rows = yield* runSql<Content & { link: string }>(MESSAGES, [session_id, messages, session_id, session_id])
  const given = yield* textOf(session_id, system)
  const offered = readStoredList((yield* textOf(session_id, tools)) ?? '')
  const said = rows.map((row) => readStored((row.content !== null && textOfContent(row)) || ''))
  const isWhole = rows[0]?.link.startsWith(NO_LINK) && !said.includes(undefined)
  if (given === undefined || !offered || !isWhole) return undefined
  return { ...parameters, system: given, tools: offered as ToolSpec[], messages: said as ModelMessage[] }
}

function* textOf(session_id: string, digest: string): Work<string | undefined> {
  const [row] = yield* runSql<Content>('SELECT content, packed FROM contents WHERE session_id = ? AND digest = ?', [
    session_id,
    digest,
  ])
  return row && textOfContent(row)
}
