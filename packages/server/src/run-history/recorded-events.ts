import { isEventName } from '@parley/protocol'
import type { RecordedEvent, RecordedEvents } from '@parley/protocol/rest'
import type { StoredInput } from '../context/model-inputs.ts'
import { readInput } from '../context/read-input.ts'
import { type Mask, maskValue } from '../secrets/session-masks.ts'
import type { Engine } from '../store/engine.ts'
import { readStored } from '../store/stored-json.ts'
import type { Rewording } from '../words/rewording.ts'
import { ANSWER_BYTES, type EventRow, type EventsPage, readEvents } from './event-rows.ts'

export type Showing = {
  engine: Engine
  rewording: Rewording
  /** For what only the record holds: what was sent is shown as the messages show it. */
  mask: Mask
  /** With what models were given. */
  isFull: boolean
}

/** A page of the journal, as one reader sees it. */
export async function recordedEvents(session_id: string, page: EventsPage, showing: Showing): Promise<RecordedEvents> {
  const { rows, limited_by, ...place } = await showing.engine.read(() => readEvents(session_id, page))
  const items: RecordedEvent[] = []
  let bytes = 0
  for (const row of rows) {
    const given = showing.isFull && row.type === 'run:model_input' ? await givenIn(row, showing) : undefined
    items.push(shown(row, showing, given))
    // What a model was given may be far longer than the event that names it: the answer ends with the one that is too much.
    bytes += given ? JSON.stringify(given).length : 0
    if (bytes > ANSWER_BYTES) break
  }
  const isCut = items.length < rows.length
  const why = isCut ? 'bytes' : limited_by
  return { items, ...place, next: why && items.at(-1)!.event_seq, limited_by: why }
}

function shown(row: EventRow, { rewording, mask }: Showing, given: object | undefined): RecordedEvent {
  const { session_id, event_seq, at, type, run_id, loop_id, turn_id, bytes } = row
  const place = { event_seq, at, type, run_id, loop_id, turn_id }
  if (row.data === null) return { ...place, data: null, data_bytes: bytes }
  const stored = readStored(row.data) as Record<string, unknown> | undefined
  if (!stored) return { ...place, data: null }
  if (!isEventName(type)) return { ...place, data: maskValue({ ...stored, ...given }, mask) }
  try {
    return { ...place, data: rewording.payload(session_id, type, stored) }
  } catch {
    // Not what it claims to be.
    return { ...place, data: stored }
  }
}

/** `input: null`: longer than is ever shown, or not to be read. */
async function givenIn({ session_id, data }: EventRow, { engine }: Showing): Promise<object> {
  const stored = readStored(data ?? '') as StoredInput | undefined
  const input = stored && (await engine.read(() => readInput(session_id, stored)).catch(() => undefined))
  return { input: input ?? null }
}
