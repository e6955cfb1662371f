import { chatSendSchema } from '@parley/protocol/schemas'
import { acceptMessage } from '../runs/accept/accept-message.ts'
import { bodyDigest } from '../runs/accept/idempotency.ts'
import { accept } from './accepting.ts'
import { type CreateOptions, draftSession, isUpToDate, storeSession } from './create.ts'
import { modelFor, type SendOptions } from './send.ts'
import type { Sessions } from './service.ts'

export type BeginOptions = CreateOptions & SendOptions

/** A session and its first message, by the same rules as one after the other, in one transaction. */
export function beginSession(options: BeginOptions): Sessions['begin'] {
  const { engine, meter, recall } = options
  return async (principal, { session: body, message, headless, terms, rows }) => {
    const { user_id, key_id } = principal
    const { row, choose } = await draftSession(principal, body, options)
    const session_id = row.id
    const command = chatSendSchema.parse({ session_id, message, headless })
    const digest = bodyDigest(command)
    for (let attempt = 1; ; attempt++) {
      const begun = { ...row, ...(await choose(session_id)) }
      const session = { ...begun, head: 0 }
      const model = await modelFor(session, null, options)
      await meter.windowOf(model)
      const recalled = await recall({ session, text: message, skips: [] })
      const asked = { ...command, message, user_id, key_id, digest, model, isModelChosen: false, terms, recalled }
      let isOutdated = false
      const accepted = await accept(
        {
          session_id,
          point: 'C1',
          *work(run_id) {
            isOutdated = !(yield* isUpToDate(begun, attempt, options))
            if (isOutdated) return { run_id, since: 0 }
            yield* rows({ session_id, run_id })
            yield* storeSession(begun, engine)
            return yield* acceptMessage({ ...asked, run_id }, options)
          },
        },
        options,
      )
      if (!isOutdated) return accepted
    }
  }
}
