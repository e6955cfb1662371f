import type { SessionEvent } from '@parley/protocol'
import { copyOf } from './fill-patch.ts'

/** The application may write into what it is handed; the fold keeps its own copy. */
export function isolateEvent(event: SessionEvent): SessionEvent {
  if (event.name === 'turn:start' || event.name === 'turn:end')
    return { ...event, payload: { ...event.payload, ...copyOf(event.payload) } }
  if (event.name !== 'turn:patch') return event
  const { data } = event.payload
  const own = data?.turn ? { ...data, turn: copyOf(data.turn) } : { ...data }
  return { ...event, payload: { ...event.payload, data: own } } as SessionEvent
}
