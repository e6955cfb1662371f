import { runSql, type Work } from './work.ts'

export type AuditEntry = {
  /** User who did it; `system` when nobody did. */
  actor: string
  action:
    | `auth.${'sign_in' | 'sign_out'}`
    | `user.${'invite' | 'join' | 'link' | 'role' | 'remove'}`
    | `api_key.${'create' | 'rename' | 'revoke'}`
    | `visitor_token.${'create' | 'revoke'}`
    | `confirmation.${'request' | 'approve' | 'reject' | 'expire' | 'withdraw'}`
    | `model_config.${'create' | 'change' | 'delete'}`
    | `http_tool.${'create' | 'change' | 'delete'}`
    | `tool.${'run' | 'approve'}`
    | `mcp_server.${'test' | 'restart'}`
    | 'model.test'
    | `schedule.${'create' | 'change' | 'delete'}`
    | `share.${'create' | 'revoke'}`
    | `agent.${'load' | 'use' | 'remove'}`
    | 'server.crash'
  /** Id of what it was done to. */
  subject: string
  /** Never a secret. */
  detail?: string
}

/** Goes into the transaction of what it records. */
export function* recordAudit({ actor, action, subject, detail = '' }: AuditEntry): Work<void> {
  yield* runSql('INSERT INTO audit (at, actor, action, subject, detail) VALUES (now_ms(), ?, ?, ?, ?)', [
    actor,
    action,
    subject,
    detail || null,
  ])
}
