/** Events that one entry of the journal may become. */
const PER_ENTRY = 16

/** [S4] [D3] Made of what is stored alone, so that every instance gives an event the same id, now and later. */
export function eventId(at: number, position: number): string {
  return `evt_${at}_${position}`
}

/** The place of the `index`th event that an entry of the journal becomes. */
export function positionOf(event_seq: number, index: number): number {
  if (index >= PER_ENTRY) throw new RangeError(`Entry ${event_seq} becomes more than ${PER_ENTRY} events.`)
  return event_seq * PER_ENTRY + index
}

export type EventPlace = { at: number; position: number; event_seq: number }

/** `undefined` for what is no id of ours. */
export function parseEventId(id: string): EventPlace | undefined {
  const [, at, number] = /^evt_(\d{13})_(\d{1,16})$/.exec(id) ?? []
  const position = Number(number)
  if (at === undefined || !Number.isSafeInteger(position)) return undefined
  return { at: Number(at), position, event_seq: Math.floor(position / PER_ENTRY) }
}
