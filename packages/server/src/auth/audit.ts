import { runSql, type Work } from '../store/work.ts'

export type AuditEntry = {
  /** User who did it. */
  actor: string
  action: 'auth.sign_in' | 'auth.sign_out' | 'api_key.create' | 'api_key.rename' | 'api_key.revoke'
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
