import { AgentError } from '@parley/protocol'
import { applyCommand, pendingCommands, storeCommand } from '../../store/commands.ts'
import { readStored } from '../../store/stored-json.ts'
import type { Work } from '../../store/work.ts'
import type { KeptRecalled } from './recalled.ts'
import type { Acceptance, MessageRequest } from './request.ts'

/** Of the one message that may wait for a compaction to end. */
const QUEUED = 'send'

/** Sealed: a message may bring variables that must not lie in the database in the clear. */
type Queued = { run_id: string; digest: string; client_message_id: string | null; since: number; sealed: string }
export type WaitingMessage = Queued & { command_id: string }

/** Keeps a message, with what was found for it, until the compaction is over. `undefined`: another one waits already. */
export function* queueMessage(
  { recalled: _found, ...request }: MessageRequest & { kept: KeptRecalled },
  since: number,
  seal: (text: string) => string,
): Work<Acceptance | undefined> {
  const { session_id, run_id, digest, client_message_id } = request
  if (yield* findQueued(session_id, 'any')) return undefined
  const queued: Queued = { run_id, digest, client_message_id, since, sealed: seal(JSON.stringify(request)) }
  yield* storeCommand({ session_id, id: `${QUEUED}:${run_id}`, kind: QUEUED, data: JSON.stringify(queued) })
  return { run_id, since, queued: true }
}

/** The message that waits: whichever it is, or only if it is this one. */
export type WhichQueued = 'any' | { client_message_id: string } | { run_id: string }

export function* findQueued(session_id: string, which: WhichQueued): Work<WaitingMessage | undefined> {
  const waiting = (yield* pendingCommands(session_id)).find(({ kind }) => kind === QUEUED)
  const queued = waiting && readQueued(waiting.data)
  return queued && isMeant(queued, which) ? { ...queued, command_id: waiting.id } : undefined
}

/** It waits no more. */
export function* dropQueued(session_id: string, { command_id }: WaitingMessage): Work<void> {
  yield* applyCommand(session_id, command_id)
}

/** `undefined`: it cannot be read here. */
export function openQueued({ sealed }: Queued, open: (sealed: string) => string): MessageRequest | undefined {
  try {
    // What older servers kept of what was found cannot be kept.
    const { recalled: _found, ...request } = JSON.parse(open(sealed)) as MessageRequest
    return request
  } catch {
    return undefined
  }
}

function isMeant({ run_id, client_message_id }: Queued, which: WhichQueued): boolean {
  if (which === 'any') return true
  return 'run_id' in which ? which.run_id === run_id : which.client_message_id === client_message_id
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
