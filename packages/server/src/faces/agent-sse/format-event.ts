import type { AgentEvent } from '@parley/protocol/agent-sse'
import { eventFrame } from '../../http/event-stream/frames.ts'

/** [S3] Four lines, the whole event in one of them. What is not stored has no `id:` line: nothing resumes from it. */
export function formatEvent(event: AgentEvent, { isStored = true } = {}): string {
  return eventFrame({ ...(isStored && { id: event.id }), event: event.type, data: JSON.stringify(event) })
}
