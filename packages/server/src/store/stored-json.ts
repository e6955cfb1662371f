import { isEventName, type Projection, reduce, type SessionEvent } from '@parley/protocol'
import { parseBoundedJson } from '@parley/protocol/wire'
import type { StoredEvent } from './work.ts'

/** Deeper than any door lets in, and far from what overflows a writer: rows of older servers may hold such values. */
const STORED_DEPTH = 1_000

/**
 * The object that a row holds. `undefined` when it is damaged, or too deep to be written down again: one bad row must not
 * keep a run from ending, a session from being read, or others from going on.
 */
export function readStored(text: string): object | undefined {
  const value = parseBoundedJson(text, STORED_DEPTH)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
}

/** The list that a row holds, in the same way. */
export function readStoredList(text: string): unknown[] | undefined {
  const value = parseBoundedJson(text, STORED_DEPTH)
  return Array.isArray(value) ? value : undefined
}

/** A stored event for `reduce`; `undefined` for what nobody is shown, and for what cannot be read. */
export function readEvent({ session_id, event_seq, type, data }: StoredEvent): SessionEvent | undefined {
  const payload = isEventName(type) ? readStored(data) : undefined
  return payload && ({ name: type, payload: { session_id, event_seq, ...payload } } as SessionEvent)
}

/** The projection after a stored event; `undefined` when it is not what it claims to be. */
export function foldEvent(state: Projection, event: SessionEvent): Projection | undefined {
  try {
    return reduce(state, event)
  } catch {
    return undefined
  }
}
