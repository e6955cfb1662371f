import { eventFrame } from '../../http/event-stream/frames.ts'
import type { AgentEvent } from './events.ts'

/** [S3] The seed of every client: four lines, the whole event in one of them. A beat has no place, so nothing resumes from it. */
export function formatEvent(event: AgentEvent): string {
  const data = JSON.stringify(event)
  return eventFrame({ ...(event.type !== 'heartbeat' && { id: event.id }), event: event.type, data })
}
