import type { Sessions } from './service.ts'
import { SessionCommands, type SessionCommandsOptions } from './session-commands.ts'
import { SessionRecords, type SessionRecordsOptions } from './session-records.ts'

/** The one service that every face calls, from its two halves. */
export function createSessions(options: SessionRecordsOptions & SessionCommandsOptions): Sessions {
  const records = new SessionRecords(options)
  const commands = new SessionCommands(options)
  return {
    create: (principal, body) => records.create(principal, body),
    list: (principal, query) => records.list(principal, query),
    get: (principal, session_id) => records.get(principal, session_id),
    detail: (principal, session_id) => records.detail(principal, session_id),
    update: (principal, session_id, change) => records.update(principal, session_id, change),
    delete: (principal, session_id) => records.delete(principal, session_id),
    messages: (principal, session_id, page) => records.messages(principal, session_id, page),
    history: (principal, session_id) => records.history(principal, session_id),
    send: (principal, command) => commands.send(principal, command),
    stop: (principal, session_id, run_id) => commands.stop(principal, session_id, run_id),
    append: (principal, command) => commands.append(principal, command),
    decide: (principal, id, decision) => commands.decide(principal, id, decision),
    confirmations: (principal, page) => commands.confirmations(principal, page),
  }
}
