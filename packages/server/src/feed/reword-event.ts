import type { Rewording } from '../words/rewording.ts'
import { readStored } from '../store/stored-json.ts'
import type { StoredEvent } from '../store/work.ts'

/** Live readers share the stored event, so those of one kind share what was made of it. */
const made = new WeakMap<Rewording, WeakMap<StoredEvent, StoredEvent>>()

/** The event as this kind of reader sees it. What carries no words of ours, increments above all, is not even parsed. */
export function rewordEvent(event: StoredEvent, rewording: Rewording): StoredEvent {
  if (!carriesWords(event)) return event
  const events = made.get(rewording) ?? new WeakMap<StoredEvent, StoredEvent>()
  made.set(rewording, events)
  const known = events.get(event) ?? reworded(event, rewording)
  events.set(event, known)
  return known
}

function reworded(event: StoredEvent, rewording: Rewording): StoredEvent {
  const payload = readStored(event.data)
  if (!payload) return event
  try {
    const words = rewording.payload(event.session_id, event.type, payload as Record<string, unknown>)
    return words === payload ? event : { ...event, data: JSON.stringify(words) }
  } catch {
    // Not what it claims to be. Readers are told so by what they make of it.
    return event
  }
}

/**
 * Looks at the text alone: a quote that stands for itself is never part of what somebody said, in which it has a
 * backslash before it.
 */
function carriesWords({ type, data }: StoredEvent): boolean {
  switch (type) {
    case 'turn:patch':
      return !data.includes('"text_delta":"')
    case 'turn:start':
    case 'turn:end':
      return (
        !data.includes('"tool_calls":[]') ||
        !data.includes('"failure_reason":null') ||
        data.includes('"type":"system_notification"') ||
        data.includes('"type":"ask_user_answer"')
      )
    case 'chat:end':
      return !data.includes('"error":null') || !data.includes('"pause_tool_data":null')
    case 'system:error':
    case 'system:notification':
    case 'skills:changed':
      return true
    default:
      return false
  }
}
