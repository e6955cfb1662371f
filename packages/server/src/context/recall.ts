import type { EventName, EventPayload, TurnProjection } from '@parley/protocol'
import type { UserPart } from '../ports.ts'
import type { SessionRow } from '../store/session-record.ts'
import type { Work } from '../store/work.ts'

/** A message whose run has not begun. */
export type RecallRequest = {
  session: SessionRow
  /** What the user said, without attachments. */
  text: string
  /** Features whose memory its sender does not want. */
  skips: readonly string[]
}

/** What a feature found for a message. `keep` is part of the transaction that accepts it. */
export type Recalled = { keep: (session_id: string) => Work<Kept> }

/** What stands with the message from now on: for the model, on its turn, and as a notice behind that. */
export type Kept = {
  parts: readonly UserPart[]
  turn: Partial<Pick<TurnProjection, 'sources' | 'memory_refs'>>
  notices: (turn_id: string) => readonly Notice[]
}

export type Notice = {
  [Name in EventName]: { name: Name; payload: Omit<EventPayload<Name>, 'session_id' | 'event_seq'> }
}[EventName]

export type Recall = (request: RecallRequest) => Promise<Recalled | undefined>
export type RecallAll = (request: RecallRequest) => Promise<Recalled[]>

/** Asks all of them at once, in their order. One that fails is as one that found nothing. */
export function recallAll(recalls: readonly Recall[], onError: (error: unknown) => void): RecallAll {
  return async (request) => {
    if (request.text.trim() === '') return []
    const found = await Promise.allSettled(recalls.map((recall) => recall(request)))
    return found.flatMap((one) => {
      if (one.status === 'rejected') onError(one.reason)
      return one.status === 'fulfilled' && one.value ? [one.value] : []
    })
  }
}
