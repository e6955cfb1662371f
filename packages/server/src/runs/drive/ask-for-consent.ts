import { askConsent } from '../../confirm/ask-consent.ts'
import type { LoopEvent } from '../../core/loop-events.ts'
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
  const ask = askConsent(wanted, journal.book, { ...env, language })
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
