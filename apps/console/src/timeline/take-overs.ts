import { ROOT_LOOP } from '@parley/protocol'
import type { RecordedEvent } from '@parley/protocol/rest'

/** Where another instance had to carry a run on. */
export type TakeOver = {
  run_id: string
  /** The last one that had been told when it happened. */
  turn_id: string
  event_seq: number
  instance: string
  /** How long nobody worked on it. */
  ms: number
}

/** The owners of a run are on record, among everything else. */
export function takeOversIn(events: readonly RecordedEvent[], run_id: string): TakeOver[] {
  const found: TakeOver[] = []
  let turn_id: string | undefined
  for (const [index, event] of events.entries()) {
    const before = events[index - 1]
    if (event.type === 'run:owner' && event.data?.['cause'] === 'take_over' && before && turn_id !== undefined) {
      const instance = String(event.data['instance'])
      found.push({ run_id, turn_id, event_seq: event.event_seq, instance, ms: event.at - before.at })
    }
    if (event.turn_id !== null && (event.loop_id ?? ROOT_LOOP) === ROOT_LOOP) turn_id = event.turn_id
  }
  return found
}
