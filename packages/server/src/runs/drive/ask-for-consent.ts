import { askConsent } from '../../confirm/ask-consent.ts'
import type { LoopEvent } from '../../core/loop-events.ts'
import { parseArguments, type TurnProjection } from '@parley/protocol'
import type { FileChange } from '@parley/protocol/rest'
import type { JsonObject, Tools } from '../../ports.ts'
import { gateAndCommands } from '../../store/gate.ts'
import type { DriveOptions } from './drive-options.ts'
import { appendPending } from './run-journal.ts'

/** C7: the question and the row behind it, in one transaction, before anybody is asked; unless a stop came first. */
export async function askForConsent(
  { type: _type, ...asked }: LoopEvent & { type: 'tool:confirm' },
  { journal, loaded, env, language, lease, active }: DriveOptions,
): Promise<void> {
  const { id: session_id, user_id } = loaded.session
  const wanted = { ...asked, id: env.ids.next('conf'), session_id, run_id: loaded.run.id, user_id }
  const ask = askConsent(wanted, journal.book, { ...env, language, change: await changeOf(asked, journal.book, env) })
  const isStopped = await journal.commit(function* (append) {
    const { stop_requested } = yield* gateAndCommands(lease)
    yield* appendPending(append)
    if (stop_requested) return true
    yield* ask(append)
    return false
  })
  if (!isStopped) return
  active.answer(asked.question_id, { type: 'unasked' })
  active.stop('stop')
}

/** What the call would make of a file, as that is now. Whatever fails there, the person is asked. */
async function changeOf(
  { turn_id, tool_call_id }: { turn_id: string; tool_call_id: string },
  book: { turn(turn_id: string): TurnProjection },
  { tools }: { tools: Tools },
): Promise<FileChange | null> {
  const call = book.turn(turn_id).tool_calls.find(({ id }) => id === tool_call_id)
  const tool = call && tools.find(call.tool_name)
  if (!call || !tool?.change) return null
  try {
    const input = await tool.check(parseArguments(call.arguments) as JsonObject)
    return input.ok ? await tool.change(input.value) : null
  } catch {
    return null
  }
}
