import { AgentError, type ReplayState, type Session, type SessionStatus } from '@parley/protocol'
import type { SkillSnapshot } from '@parley/protocol/rest'
import type { Selectable } from 'kysely'
import type { Engine } from './engine.ts'
import type { Schema } from './schema.ts'
import { readStored } from './stored-json.ts'
import { run, type Work } from './work.ts'

export type SessionRow = Selectable<Schema['sessions']> & { head: number }

/** The session with its journal's head; `session_not_found` also for sessions of somebody else. */
export function* demandSession(engine: Engine, user_id: string, session_id: string): Work<SessionRow> {
  const [row] = yield* run(
    sessionRows(engine).where('sessions.id', '=', session_id).where('sessions.user_id', '=', user_id),
  )
  if (!row) throw new AgentError('session_not_found', `There is no session ${session_id}.`, { details: { session_id } })
  return row
}

export function* findSession(engine: Engine, session_id: string): Work<Selectable<Schema['sessions']> | undefined> {
  const [row] = yield* run(engine.db.selectFrom('sessions').selectAll().where('id', '=', session_id))
  return row
}

export function sessionRows(engine: Engine) {
  return engine.db
    .selectFrom('sessions')
    .innerJoin('gates', 'gates.session_id', 'sessions.id')
    .selectAll('sessions')
    .select('gates.head')
}

export function toSession(row: SessionRow): Session {
  return {
    id: row.id,
    intent: row.intent,
    status: row.status as SessionStatus,
    created_at: row.created_at,
    updated_at: row.updated_at,
    user_id: row.user_id,
    solution_id: row.solution_id,
    biz_role_id: row.biz_role_id,
    model: row.model,
    shared: row.shared === 1,
    memory_enabled: row.memory_enabled === 1,
    is_pinned: row.is_pinned === 1,
    is_persistent: row.is_persistent === 1,
    replay_state:
      row.replay_state === null ? null : ((readStored(row.replay_state) as ReplayState | undefined) ?? null),
    mode: row.mode as Session['mode'],
    last_event_seq: row.head,
    agent: row.agent === null || row.agent_digest === null ? null : { name: row.agent, version: row.agent_digest },
  }
}

/** The skill that it began with, as it was then. */
export function primarySkill({ primary_skill }: Pick<SessionRow, 'primary_skill'>): SkillSnapshot | null {
  return primary_skill === null ? null : ((readStored(primary_skill) as SkillSnapshot | undefined) ?? null)
}

/** Names of the tools that a session has switched off. */
export function disabledTools({ disable_tools }: Pick<SessionRow, 'disable_tools'>): string[] {
  return disable_tools === null ? [] : (JSON.parse(disable_tools) as string[])
}
