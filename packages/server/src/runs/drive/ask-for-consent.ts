import { parseArguments } from '@parley/protocol'
import { confirmationQuestion, previewOf } from '../../confirm/ask.ts'
import { requestConfirmation } from '../../confirm/confirmations.ts'
import type { LoopEvent } from '../../core/loop-events.ts'
import { ASK } from '../../core/offer.ts'
import type { JsonObject } from '../../ports.ts'
import { appendEvents } from '../../store/append.ts'
import type { DriveOptions } from './drive-options.ts'
import { databaseNow } from '../../store/database-now.ts'
import { gateAndCommands } from '../../store/gate.ts'
import { appendPending } from './run-journal.ts'
import { say } from '../../words/phrases.ts'
import type { TurnBook } from '../turn-book.ts'

/** C7: the question and the row behind it, in one transaction, before anybody is asked; unless a stop came first. */
export async function askForConsent(
  { turn_id, tool_call_id, question_id, digest, source_loop }: LoopEvent & { type: 'tool:confirm' },
  { journal, loaded, env, language, lease, active }: DriveOptions,
): Promise<void> {
  const { book } = journal
  const turn = book.turn(turn_id)
  const call = turn.tool_calls.find(({ id }) => id === tool_call_id)!
  const args = parseArguments(call.arguments)
  const tool = env.tools.find(call.tool_name)
  const risk = tool?.risk ?? 'high'
  const id = env.ids.next('conf')
  const preview = previewOf(args as JsonObject, tool)
  const named = { id, tool_call_id, tool_name: call.tool_name, risk, preview, digest }
  let expires_at: number | undefined
  let page: ReturnType<TurnBook['take']> | undefined
  const isStopped = await journal.commit(function* (append) {
    const { stop_requested } = yield* gateAndCommands(lease)
    yield* appendPending(append)
    if (stop_requested) return true
    // By the database's clock: it is the one that ends the wait.
    expires_at ??= (yield* databaseNow()) + env.consentMs
    yield* requestConfirmation({
      ...named,
      session_id: loaded.session.id,
      run_id: loaded.run.id,
      turn_id,
      loop_id: turn.loop_id,
      arguments: call.arguments,
      expires_at,
      question_id,
      user_id: loaded.session.user_id,
    })
    // A transaction may be gone through twice; what it tells is written down once.
    if (!page) {
      const card = { ...named, arguments: args, expires_at: new Date(expires_at).toISOString() }
      const question = confirmationQuestion(card, call.display_name, language, source_loop)
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
    return false
  })
  if (!isStopped) return
  active.answer(question_id, { type: 'unasked' })
  active.stop('stop')
}
