import { chatSendSchema } from '@parley/protocol/schemas'
import { acceptExpired } from '../runs/accept/accept-expired.ts'
import type { DeclineOptions } from '../runs/accept/decline.ts'
import { bodyDigest } from '../runs/accept/idempotency.ts'
import { demandSession } from '../store/session-record.ts'
import { accept, type AcceptingOptions } from './accepting.ts'
import { modelFor, type ModelChoice } from './send.ts'
import type { Sessions } from './service.ts'

export function answerExpired(options: AcceptingOptions & ModelChoice & DeclineOptions): Sessions['answerExpired'] {
  const { engine } = options
  return async ({ user_id }, { session_id, confirmation_id, message, client_message_id }) => {
    const session = await engine.read(() => demandSession(engine, user_id, session_id))
    const command = chatSendSchema.parse({ session_id, message, client_message_id })
    const request = {
      ...{ ...command, user_id, confirmation_id, isModelChosen: false, digest: bodyDigest(command) },
      message: message || null,
      model: await modelFor(session, null, options),
    }
    const work = (run_id: string) => acceptExpired({ ...request, run_id }, options)
    return accept({ session_id, point: 'C8', work }, options)
  }
}
