import type { SeenMarks } from '@parley/protocol/rest'
import { seenMarksSchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import { readBody } from '../http/ignored-fields.ts'
import { needs, principalOf } from '../http/signed-in.ts'
import type { Engine } from '../store/engine.ts'
import { runSql, type Work } from '../store/work.ts'

const PATH = '/api/user/preferences/seen'
/** Of sessions that were used last. */
const MAX_TOLD = 1_000

type Mark = { session_id: string; event_seq: number }

/** [W12.8] How far a user has seen their sessions, on whatever device: of two marks the one further on counts. */
export function seenRoutes(app: FastifyInstance, engine: Engine): void {
  const reading = needs('account', {
    says: ['How far you have seen your sessions', '查看各会话已读到的位置'],
    answer: seenMarksSchema,
  })
  app.get(PATH, reading, async (request): Promise<SeenMarks> => {
    const { user_id } = principalOf(request)
    const marks = await engine.select<Mark>(
      `SELECT session_id, event_seq FROM sessions JOIN seen_marks ON session_id = sessions.id
        WHERE sessions.user_id = ? AND seen_marks.user_id = ? ORDER BY updated_at DESC LIMIT ?`,
      [user_id, user_id, MAX_TOLD],
    )
    return { seen: seenIn(marks) }
  })

  const marking = needs('account', {
    says: ['Says how far you have seen sessions', '标记会话已读到的位置'],
    body: seenMarksSchema,
    answer: seenMarksSchema,
  })
  app.put(PATH, marking, async (request): Promise<SeenMarks> => {
    const { user_id } = principalOf(request)
    // In one order for everybody, so that two devices never wait for each other.
    const seen = Object.entries(readBody(request, seenMarksSchema).seen).sort(([a], [b]) => (a < b ? -1 : 1))
    const marks = await engine.write(function* (): Work<Mark[]> {
      const merged: Mark[] = []
      for (const [session_id, event_seq] of seen) merged.push(...(yield* markSeen(user_id, { session_id, event_seq })))
      return merged
    })
    return { seen: seenIn(marks) }
  })
}

/** Only of one's own sessions, and never further than they go. */
function* markSeen(user_id: string, { session_id, event_seq }: Mark): Work<Mark[]> {
  return yield* runSql<Mark>(
    `INSERT INTO seen_marks (user_id, session_id, event_seq)
      SELECT sessions.user_id, sessions.id, CASE WHEN head < ? THEN head ELSE ? END
      FROM sessions JOIN gates ON gates.session_id = sessions.id WHERE sessions.id = ? AND sessions.user_id = ?
      ON CONFLICT (session_id, user_id) DO UPDATE SET event_seq =
        CASE WHEN excluded.event_seq > seen_marks.event_seq THEN excluded.event_seq ELSE seen_marks.event_seq END
      RETURNING session_id, event_seq`,
    [event_seq, event_seq, session_id, user_id],
  )
}

function seenIn(marks: readonly Mark[]): SeenMarks['seen'] {
  return Object.fromEntries(marks.map(({ session_id, event_seq }) => [session_id, event_seq]))
}
