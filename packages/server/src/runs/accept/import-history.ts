import type { ContentBlock } from '@parley/protocol'
import type { AnswerPart, Ids } from '../../ports.ts'
import type { TurnBook } from '../turn-book.ts'

/** A message of a conversation that began elsewhere. */
export type EarlierMessage = {
  role: 'user' | 'assistant'
  text: string
  /** What its sender calls a user's message. */
  id?: string
  /** When it was said; ISO 8601. */
  at?: string
  /** Of an assistant. */
  calls?: readonly EarlierCall[]
}

/** `result` is absent when nobody answered it. */
export type EarlierCall = { name: string; arguments: object; result?: unknown; isError?: boolean }

const MAX_MESSAGES = 200
/** A turn is written anew with every call of it. */
const MAX_CALLS = 500
const MAX_CHARACTERS = 1024 * 1024
const NOT_ANSWERED = 'not answered'

/**
 * [F1.5.4] The beginning of a session, as its client tells it: finished turns that no run made. They are part of the
 * conversation and of nothing else; no consent was given in them, and no host named.
 */
export function importHistory(book: TurnBook, history: readonly EarlierMessage[], ids: Ids): void {
  if (!book.isAtBeginning) return
  for (const { role, text, id, at, calls = [] } of newest(history)) {
    const { turn_id } = book.startTurn({
      ...{ role, imported: true, blocks: text === '' ? [] : [textBlock(text)] },
      ...(at !== undefined && { started_at: at }),
      ...(id !== undefined && role === 'user' && { client_message_id: id }),
    })
    const made = role === 'assistant' ? calls.map((call) => ({ ...call, id: ids.next('tc') })) : []
    for (const call of made) importCall(book, turn_id, call)
    if (made.length > 0) book.setMessages(turn_id, JSON.stringify(partsOf(text, made)))
    book.endTurn(turn_id, 'completed')
  }
}

type Named = EarlierCall & { id: string }

function importCall(book: TurnBook, turn_id: string, call: Named): void {
  const { id, name, arguments: given, result = NOT_ANSWERED } = call
  const isError = call.isError ?? call.result === undefined
  book.patch(turn_id, {
    patch_type: 'add_tool_call',
    data: { id, tool_name: name, display_name: name, arguments: JSON.stringify(given), status: 'pending' },
  })
  book.settleCall(turn_id, { tool_call_id: id, status: isError ? 'error' : 'done', result })
}

/** As a model made them: results without their calls are refused by providers. */
function partsOf(text: string, calls: readonly Named[]): AnswerPart[] {
  const made = calls.map(({ id, name, arguments: given }): AnswerPart => {
    return { type: 'tool_call', id, name, arguments: JSON.stringify(given) }
  })
  return text === '' ? made : [{ type: 'text', text }, ...made]
}

/** The last messages, as many as there is room for. */
function newest(history: readonly EarlierMessage[]): EarlierMessage[] {
  const kept: EarlierMessage[] = []
  let characters = 0
  let made = 0
  for (const message of history.slice(-MAX_MESSAGES).reverse()) {
    const { text, calls = [] } = message
    made += calls.length
    if (made > MAX_CALLS) break
    characters += text.length + JSON.stringify(calls).length
    if (characters > MAX_CHARACTERS) break
    kept.unshift(message)
  }
  return kept
}

function textBlock(content: string): ContentBlock {
  return { type: 'text', content, tool_call_id: null, tool_name: null, display_name: null }
}
