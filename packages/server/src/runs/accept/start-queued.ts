import type { RunError } from '../../core/loop-events.ts'
import { lockGate } from '../../store/gate.ts'
import { findSession } from '../../store/session-record.ts'
import type { Work } from '../../store/work.ts'
import type { Language } from '../../words/language.ts'
import { say } from '../../words/phrases.ts'
import { acceptMessage } from './accept-message.ts'
import { endQueued } from './end-queued.ts'
import { dropQueued, findQueued, openQueued } from './queued-send.ts'
import type { Acceptance, AcceptOptions } from './request.ts'

type StartQueuedOptions = AcceptOptions & { open: (sealed: string) => string; language: Language }

/** Accepts the message that waited for a compaction, under the id that its sender was told. */
export function startQueued(options: StartQueuedOptions) {
  return function* (session_id: string): Work<Acceptance | undefined> {
    const queued = yield* findQueued(session_id, 'any')
    const session = queued && (yield* findSession(options.engine, session_id))
    if (!session) return undefined
    const request = openQueued(queued, options.open)
    if (request) {
      yield* dropQueued(session_id, queued)
      return yield* acceptMessage(request, options)
    }
    // Sealed with a key that is gone: whoever waits for its end must hear of one.
    const error: RunError = { code: 'internal_error', message: say('failure.broken', options.language) }
    yield* endQueued(queued, { session, gate: yield* lockGate(session_id), error }, options)
    return undefined
  }
}
