import type { ChatEndPayload, Session, SubscribeOk } from '@parley/protocol'

/** The `chat:end` of a run that ended while nobody could tell us; its listeners wait for one. */
export class UnseenEnd {
  /** The run that was active when the connection went. */
  #runAtLoss: string | null = null
  #end: ChatEndPayload | null = null

  lost(run_id: string | null): void {
    this.#runAtLoss = run_id
  }

  /** Back again. `isBehind`: what happened meanwhile does not come as events. */
  subscribed({ session, run_id, event_seq }: SubscribeOk, isBehind: boolean): void {
    if (isBehind && this.#runAtLoss && run_id === null) this.#end = endOf(this.#runAtLoss, session, event_seq)
    this.#runAtLoss = null
  }

  /** It is told once. */
  take(): ChatEndPayload | null {
    const end = this.#end
    this.#end = null
    return end
  }
}

/** What the session's status says of it. */
function endOf(run_id: string, { id, status }: Session, event_seq: number): ChatEndPayload {
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
