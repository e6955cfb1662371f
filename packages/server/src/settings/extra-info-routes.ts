import type { ExtraInfo } from '@parley/protocol/rest'
import { extraInfoBodySchema, extraInfoSchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import type { SessionReader } from '../feature.ts'
import { readBody } from '../http/ignored-fields.ts'
import { needs, principalOf } from '../http/signed-in.ts'
import type { Engine } from '../store/engine.ts'
import { demandSession } from '../store/session-record.ts'
import { readStored } from '../store/stored-json.ts'
import { runSql } from '../store/work.ts'

export type ExtraInfoOptions = { engine: Engine; sessions: SessionReader; now: () => string }

type OneSession = { Params: { session_id: string } }
type Row = { extra: string; created_at: string; updated_at: string }

const ONE = '/api/sessions/:session_id'
const COLUMNS = 'extra, created_at, updated_at'

/** [W12.8] What a program wants to know about a session again; no model sees it. */
export function extraInfoRoutes(app: FastifyInstance, { engine, sessions, now }: ExtraInfoOptions): void {
  const noting = needs('chat', {
    says: ['Replaces a program’s notes about a session', '替换会话的附加信息'],
    body: extraInfoBodySchema,
    answer: extraInfoSchema,
  })
  app.post<OneSession>(`${ONE}/upset_extra_info`, noting, async (request) => {
    const { session_id } = request.params
    const { user_id } = principalOf(request)
    const { extra } = readBody(request, extraInfoBodySchema)
    const at = now()
    const [row] = await engine.write(function* () {
      yield* demandSession(engine, user_id, session_id)
      return yield* runSql<Row>(
        `INSERT INTO session_extras (session_id, extra, created_at, updated_at) VALUES (?, ?, ?, ?)
          ON CONFLICT (session_id) DO UPDATE SET extra = excluded.extra, updated_at = excluded.updated_at RETURNING ${COLUMNS}`,
        [session_id, JSON.stringify(extra), at, at],
      )
    })
    return shown(session_id, row)
  })

  const reading = needs('chat', {
    says: ['A program’s notes about a session', '查看会话的附加信息'],
    answer: extraInfoSchema,
    bySubject: true,
  })
  app.get<OneSession>(`${ONE}/extra_info`, reading, async (request) => {
    const { session_id } = request.params
    await sessions.get(principalOf(request), session_id)
    const [row] = await engine.select<Row>(`SELECT ${COLUMNS} FROM session_extras WHERE session_id = ?`, [session_id])
    return shown(session_id, row)
  })
}

function shown(session_id: string, row: Row | undefined): ExtraInfo {
  const extra = row && (readStored(row.extra) as ExtraInfo['extra'] | undefined)
  return { session_id, extra: extra ?? {}, created_at: row?.created_at ?? null, updated_at: row?.updated_at ?? null }
}
