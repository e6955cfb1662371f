import { eventFrame } from '../../http/event-stream/frames.ts'

export type Block =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown }
  | { type: 'tool_result'; id: string; name: string; output: Block[]; is_error?: true }

/** Everything that a message says so far: a client replaces, it never appends. */
export type Message = {
  id: string
  name: string
  role: 'assistant' | 'system'
  content: readonly Block[]
  metadata: null
  timestamp: string
}

export type FrameType = 'status' | 'message_update' | 'message_completed' | 'response_completed' | 'error'

/** [O3] One line, LF, an empty line; the type is inside. */
export function frameOf(session_id: string, type: FrameType, message: object): string {
  return eventFrame({ data: JSON.stringify({ session_id, type, message }) })
}
