import type { AgentEvent } from './events.ts'

/** Four lines. A heartbeat has no `id:` line, so that nobody resumes after one. */
export function formatSSEEvent(event: AgentEvent): string {
  const id = event.type === 'heartbeat' ? '' : `id: ${event.id}\n`
  return `${id}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

/** One frame of any producer; `null` for one that holds no event, such as a comment. */
export function parseSSEEvent(text: string): AgentEvent | null {
  const data = text
    .split(/\r\n|\r|\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(line[5] === ' ' ? 6 : 5))
    .join('\n')
  try {
    const event: unknown = JSON.parse(data)
    return isEvent(event) ? event : null
  } catch {
    return null
  }
}

function isEvent(value: unknown): value is AgentEvent {
  if (typeof value !== 'object' || value === null) return false
  const { id, type, timestamp, sessionId, data } = value as Record<string, unknown>
  const isText = [id, type, sessionId].every((each) => typeof each === 'string')
  return isText && typeof timestamp === 'number' && typeof data === 'object' && data !== null
}
