import { AgentError } from '@parley/protocol'
import { isEmptyMessage } from '@parley/protocol/wire'
import type { Ids } from '../ports.ts'
import { isNewAppend } from '../runs/accept/idempotency.ts'
import type { Runs } from '../runs/runs.ts'
import { hasCommand, storeCommand } from '../store/commands.ts'
import type { Engine } from '../store/engine.ts'
import { lockGate } from '../store/gate.ts'
import { demandSession } from '../store/session-record.ts'
import type { Work } from '../store/work.ts'
import { storeAttachments, type StoreFile } from './attachments.ts'
import type { Sessions } from './service.ts'
import { demandOwnMessage } from './visitor-rules.ts'

export type AppendOptions = { engine: Engine; ids: Ids; runs: Runs; storeFile: StoreFile }

export function appendTo({ engine, ids, runs, storeFile }: AppendOptions): Sessions['append'] {
  return async (principal, { session_id, message, client_message_id }) => {
    if (isEmptyMessage(message)) throw new AgentError('invalid_payload', 'The message is empty.')
    await engine.read(() => demandSession(engine, principal.user_id, session_id))
    demandOwnMessage(principal, { message, runtime_env: null, model: null })
    const id = `append:${client_message_id ?? ids.next('cmd')}`
    // The first look: what is refused, or here already, puts nothing into the workspace.
    if (!(await engine.read(() => isNewAppend(session_id, id)))) return
    const stored = await storeAttachments(message, session_id, storeFile)
    await engine.write(
      function* () {
        yield* demandSession(engine, principal.user_id, session_id)
        yield* lockGate(session_id)
        if (yield* isNewAppend(session_id, id))
          yield* storeCommand({
            session_id,
            id,
            kind: 'append',
            data: JSON.stringify({ message: stored, client_message_id }),
          })
        return true as const
      },
      { confirm: () => isStored(session_id, id) },
    )
    runs.tellOwner(session_id)
  }
}

function* isStored(session_id: string, id: string): Work<true | undefined> {
  return (yield* hasCommand(session_id, id)) || undefined
}
