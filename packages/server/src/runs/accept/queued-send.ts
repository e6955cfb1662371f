import { AgentError } from '@parley/protocol'
import { applyCommand, pendingCommands, storeCommand } from '../../store/commands.ts'
import { readStored } from '../../store/stored-json.ts'
import type { Work } from '../../store/work.ts'
import type { Acceptance, MessageRequest } from './request.ts'

/** Of the one message that may wait for a compaction to end. */
const QUEUED = 'send'

/** Sealed: a message may bring variables that must not lie in the database in the clear. */
type Queued = { run_id: string; digest: string; client_message_id: string | null; since: number; sealed: string }

/** Keeps a message until the compaction is over. `undefined`: another one waits already. */
export function* queueMessage(
  request: MessageRequest,
  since: number,
  seal: (text: string) => string,
): Work<Acceptance | undefined> {
  const { session_id, run_id, digest, client_message_id } = request
  const waiting = yield* pendingCommands(session_id)
  if (waiting.some(({ kind }) => kind === QUEUED)) return undefined
  const queued: Queued = { run_id, digest, client_message_id, since, sealed: seal(JSON.stringify(request)) }
  yield* storeCommand({ session_id, id: `${QUEUED}:${run_id}`, kind: QUEUED, data: JSON.stringify(queued) })
  return { run_id, since, queued: true }
}

/** The same message again, while it waits. */
export function* findQueued({
  session_id,
  client_message_id,
  run_id,
}: {
  session_id: string
  client_message_id?: string | null
  run_id?: string
}): Work<(Acceptance & { digest: string }) | undefined> {
  for (const { kind, data } of yield* pendingCommands(session_id)) {
    const queued = kind === QUEUED ? readQueued(data) : undefined
    if (!queued) continue
    const { digest, since } = queued
    const isSame = client_message_id ? queued.client_message_id === client_message_id : queued.run_id === run_id
    if (isSame) return { run_id: queued.run_id, since, digest, queued: true }
  }
  return undefined
}

/** The message that waits, taken out of the queue; `undefined` when none does, or it cannot be read. */
export function* takeQueued(session_id: string, open: (sealed: string) => string): Work<MessageRequest | undefined> {
  const waiting = (yield* pendingCommands(session_id)).find(({ kind }) => kind === QUEUED)
  if (!waiting) return undefined
  yield* applyCommand(session_id, waiting.id)
  const queued = readQueued(waiting.data)
  try {
    return queued && (JSON.parse(open(queued.sealed)) as MessageRequest)
  } catch {
    return undefined
  }
}

function readQueued(data: string): Queued | undefined {
  const queued = readStored(data) as Queued | undefined
  return typeof queued?.sealed === 'string' && typeof queued.run_id === 'string' ? queued : undefined
}

/** For whoever sends while a compaction is under way and another message waits already. */
export function busyCompacting(session_id: string, run_id: string | null): AgentError {
  return new AgentError(
    'session_busy',
    `Session ${session_id} is being compacted, and a message waits for that already. Wait for its chat:end.`,
    { details: { session_id, run_id } },
  )
}
