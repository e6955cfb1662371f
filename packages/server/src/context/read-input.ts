import { AgentError } from '@parley/protocol'
import type { ModelInput, ModelMessage, ToolSpec } from '../ports.ts'
import { readStored, readStoredList } from '../store/stored-json.ts'
import { runSql, type Work } from '../store/work.ts'
import { NO_LINK, type StoredInput, textOfContent } from './model-inputs.ts'

type Content = { content: string; packed: number }

// A link is `<the link before it> <a message>`; both are digests, of the length that NO_LINK has.
const CHAIN = `WITH RECURSIVE chain (link, place) AS (
    SELECT content, 0 FROM contents WHERE session_id = ? AND digest = ?
    UNION ALL
    SELECT c.content, chain.place + 1 FROM chain JOIN contents c
      ON c.session_id = ? AND c.digest = substr(chain.link, 1, ${NO_LINK.length})
  )`
const SAID = `FROM chain LEFT JOIN contents m ON m.session_id = ? AND m.digest = substr(chain.link, ${NO_LINK.length + 2})`
const MESSAGES = `${CHAIN} SELECT m.content, m.packed, chain.link ${SAID} ORDER BY chain.place DESC`
const LENGTH = `${CHAIN} SELECT sum(length(m.content)) AS n ${SAID}`

/** What is shown of one call at most: pictures count, and the answer is made in one piece. */
export const SHOWN_CHARACTERS = 32 * 1024 * 1024

/** What a model was given, as it was given; `undefined` when not all of it can be read. */
export function* readInput(session_id: string, stored: StoredInput): Work<ModelInput | undefined> {
  const { model: _model, system, tools, messages, ...parameters } = stored
  const place = [session_id, messages, session_id, session_id]
  const [size] = yield* runSql<{ n: number | null }>(LENGTH, place)
  demandRoom(size?.n ?? 0)
  const rows = yield* runSql<Content & { link: string }>(MESSAGES, place)
  const given = yield* textOf(session_id, system)
  const offered = readStoredList((yield* textOf(session_id, tools)) ?? '')
  let characters = 0
  const said = rows.map((row) => {
    const text = (row.content !== null && textOfContent(row)) || ''
    // What was deflated may be many times as long.
    demandRoom((characters += text.length))
    return readStored(text)
  })
  const isWhole = rows[0]?.link.startsWith(NO_LINK) && !said.includes(undefined)
  if (given === undefined || !offered || !isWhole) return undefined
  return { ...parameters, system: given, tools: offered as ToolSpec[], messages: said as ModelMessage[] }
}

function demandRoom(characters: number): void {
  if (characters > SHOWN_CHARACTERS)
    throw new AgentError('payload_too_large', `This call was given more than ${SHOWN_CHARACTERS} characters.`)
}

function* textOf(session_id: string, digest: string): Work<string | undefined> {
  const [row] = yield* runSql<Content>('SELECT content, packed FROM contents WHERE session_id = ? AND digest = ?', [
    session_id,
    digest,
  ])
  return row && textOfContent(row)
}
