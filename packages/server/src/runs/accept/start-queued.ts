import type { Work } from '../../store/work.ts'
import { acceptMessage } from './accept-message.ts'
import { takeQueued } from './queued-send.ts'
import type { Acceptance, AcceptOptions } from './request.ts'

/** Accepts the message that waited for a compaction, under the id that its sender was told. */
export function startQueued(options: AcceptOptions & { open: (sealed: string) => string }) {
  return function* (session_id: string): Work<Acceptance | undefined> {
    const request = yield* takeQueued(session_id, options.open)
    return request && (yield* acceptMessage(request, options))
  }
}
