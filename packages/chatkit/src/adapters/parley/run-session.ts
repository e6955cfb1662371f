import type { AgentSession } from '@parley/client'
import { AgentError, type ChatEndPayload } from '@parley/protocol'
import type { AdapterIO } from '../../model/chat-adapter.ts'
import type { ChatOp } from '../../model/chat-op.ts'
import { followSession } from './follow-session.ts'
import { parleyError, runError } from './parley-error.ts'
import type { TurnTeller } from './session-views.ts'

export type Begun = { run_id: string }
const PULSE_MS = 10_000
type RunParts = {
  io: AdapterIO
  begin: (session: AgentSession) => Promise<Begun>
  tell: TurnTeller
  /** Connects again with a new token. */
  reopen: () => Promise<void>
}

/** One run: everything the session shows until the run's end. */
export async function* runSession(
  session: AgentSession,
  { io, begin, tell, reopen }: RunParts,
): AsyncGenerator<ChatOp> {
  using followed = session
  const ended = new Map<string, ChatEndPayload>()
  followed.on('chat:end', (payload) => ended.set(payload.run_id ?? '', payload))
  // A tool may work for long without a word; the connection would tell if the server were gone.
  const pulse = setInterval(() => {
    if (followed.getState().connection === 'connected') io.alive()
  }, PULSE_MS)
  try {
    await followed.ready({ signal: io.signal })
    io.alive()
    let told = followed.getState().mode
    const earlier = followed.getState().turns
    const { run_id } = await begin(followed)
    const { turns: known, tasks: listed, isStreaming } = followed.getState()
    // Sent again after all, and answered meanwhile: nobody tells that end a second time.
    if (!isStreaming && earlier.some((turn) => turn.run_id === run_id)) {
      yield* tell(known, listed)
      return yield { op: 'end', status: 'completed' }
    }
    for await (const { turns, tasks, mode, connection, isGone } of followSession(followed, io.signal)) {
      io.alive()
      yield { op: 'connection', state: connection === 'connected' ? 'connected' : 'reconnecting' }
      if (connection === 'refused') {
        await reopen()
        continue // What was known before is old by now.
      }
      const own = turns.filter((turn) => turn.run_id === run_id)
      // Before the message is a turn the list would lack the question that is already shown.
      if (own.some(({ role }) => role === 'user')) yield* tell(turns, tasks)
      // Only what changed: the user may have chosen another mode for the next message.
      if (mode && mode !== told) yield { op: 'mode', mode: (told = mode) }
      for (const turn of own) yield* bridgeOps(turn)
      const end = ended.get(run_id)
      if (end) return yield endOp(end)
      if (isGone) throw new AgentError('session_not_found', 'The session was deleted.')
    }
  } catch (error) {
    throw parleyError(error)
  } finally {
    clearInterval(pulse)
  }
}

/** The actions for the host page in a turn. */
export function* bridgeOps({
  blocks,
}: {
  blocks: ReadonlyArray<{ type: string; content?: unknown; tool_call_id?: string | null }>
}) {
  for (const [index, { type, content, tool_call_id }] of blocks.entries()) {
    if (type !== 'tool_bridge') continue
    const { action, payload } = content as { action: string; payload: unknown }
    const id = `${tool_call_id ?? ''}:${index}`
    yield { op: 'bridge', action, payload, id, toolCallID: tool_call_id ?? '' } satisfies ChatOp
  }
}

export function endOp({ status, error }: ChatEndPayload): ChatOp {
  if (status === 'failed') return { op: 'error', error: runError(error?.code ?? 'internal_error', error?.message) }
  return { op: 'end', status: status === 'interrupted' ? 'stopped' : 'completed' }
}
