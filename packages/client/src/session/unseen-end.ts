import type { ChatEndPayload, Session } from '@parley/protocol'

/** The `chat:end` of a run that ended while nobody could tell us: what the session's status says of it. */
export function unseenEnd(run_id: string, { id, status }: Session, event_seq: number): ChatEndPayload {
  return {
    session_id: id,
    event_seq,
    run_id,
    status: status === 'failed' || status === 'interrupted' ? status : 'completed',
    session_status: status,
    result: null,
    finish_reason: null,
    pause_tool: null,
    pause_tool_data: null,
    error: null,
    usage: null,
  }
}
