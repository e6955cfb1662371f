import { type AskUserQuestion, parseArguments, type TurnProjection } from '@parley/protocol'
import type { AskReason, FileChange } from '@parley/protocol/rest'
import type { Patch } from '@parley/protocol/wire'
import { ASK } from '../core/offer.ts'
import type { JsonObject, Tools } from '../ports.ts'
import { type Append, appendEvents, type NewEvent, type TurnRow } from '../store/append.ts'
import { databaseNow } from '../store/database-now.ts'
import type { Work } from '../store/work.ts'
import type { Language } from '../words/language.ts'
import { say } from '../words/phrases.ts'
import { askedAfter } from './asked-after.ts'
import { confirmationQuestion, previewOf } from './ask.ts'
import { requestConfirmation } from './confirmations.ts'

/** A call that may only run with consent, and the question that will ask for it. */
export type WantedConsent = {
  id: string
  session_id: string
  run_id: string
  user_id: string
  turn_id: string
  tool_call_id: string
  question_id: string
  digest: string
  why: AskReason
  source_loop: AskUserQuestion['source_loop']
}

export type AskOptions = {
  tools: Pick<Tools, 'find'>
  /** How long the confirmation holds. */
  consentMs: number
  language: Language
  /** What the call would make of a file. */
  change: FileChange | null
}

/** What of a run's book a question is written into. */
type Page = { events: NewEvent[]; turns: TurnRow[] }
type QuestionBook = { turn(turn_id: string): TurnProjection; patch(turn_id: string, patch: Patch): void; take(): Page }

/** A card is part of its turn, which is read and sent as a whole; the inbox has what is longer. */
const CARD_CHANGE_CHARACTERS = 32_768
const isShort = ({ before, after }: FileChange) =>
  (before?.length ?? 0) + (after?.length ?? 0) <= CARD_CHANGE_CHARACTERS

/** C7: the question and the row behind it, for one transaction. It goes in with, or after, `append`. */
export function askConsent(
  wanted: WantedConsent,
  book: QuestionBook,
  { tools, consentMs, language, change }: AskOptions,
): (append: Append) => Work<void> {
  const { turn_id, tool_call_id, question_id, source_loop, session_id, run_id, user_id } = wanted
  const turn = book.turn(turn_id)
  const { loop_id, tool_calls } = turn
  const call = tool_calls.find(({ id }) => id === tool_call_id)!
  const { tool_name, display_name } = call
  const args = parseArguments(call.arguments)
  const tool = tools.find(tool_name)
  const preview = previewOf(args as JsonObject, tool)
  const named = { id: wanted.id, tool_call_id, tool_name, risk: tool?.risk ?? 'high', preview, digest: wanted.digest }
  let expires_at: number | undefined
  let page: Page | undefined
  return function* (append) {
    // By the database's clock: it is the one that ends the wait.
    expires_at ??= (yield* databaseNow()) + consentMs
    const row = { ...named, session_id, run_id, turn_id, loop_id, question_id, user_id, display_name }
    yield* requestConfirmation({
      ...row,
      arguments: call.arguments,
      expires_at,
      asked_after: askedAfter(turn),
      why: JSON.stringify(wanted.why),
      change: change && JSON.stringify(change),
    })
    // A transaction may be gone through twice; what it tells is written down once.
    if (!page) {
      const card = {
        ...{ ...named, arguments: args, expires_at: new Date(expires_at).toISOString(), reason: wanted.why },
        ...(change && isShort(change) && { change }),
      }
      const question = confirmationQuestion(card, { display_name, source_loop }, language)
      if (call.status !== 'awaiting_answer')
        book.patch(turn_id, { patch_type: 'set_tool_status', data: { tool_call_id, status: 'awaiting_answer' } })
      book.patch(turn_id, {
        patch_type: 'add_tool_call',
        data: {
          id: question_id,
          tool_name: ASK,
          display_name: say('tool.ask', language),
          arguments: JSON.stringify(question),
          status: 'awaiting_answer',
        },
      })
      page = book.take()
    }
    yield* appendEvents({ ...append, ...page, batch: `${append.batch}.ask` })
  }
}
