import { parseArguments } from '@parley/protocol'
import type { Engine } from '../store/engine.ts'
import { runSql, type Work } from '../store/work.ts'
import type { Asked } from './in-process.ts'

/** The name under which clients of the agent SSE protocol know a session. */
const KIND = 'sse'
/** Of one tool, this many are looked at: who answers, answers something recent. */
const LOOKED_AT = 100

type Row = {
  id: string
  session_id: string
  name: string | null
  tool_name: string
  arguments: string
  status: string
  created_at: number
}

/** Calls that somebody was asked about, decided or not: the one with this id, or the newest of a tool. */
export async function askedBefore(
  engine: Engine,
  user_id: string,
  which: { confirmationId: string } | { toolName: string },
): Promise<Asked[]> {
  const [column, value] = 'toolName' in which ? ['tool_name', which.toolName] : ['id', which.confirmationId]
  const rows = await engine.read(function* (): Work<Row[]> {
    return yield* runSql<Row>(
      `SELECT c.id, c.session_id, c.tool_name, c.arguments, c.status, c.created_at, a.external_id AS name
        FROM confirmations c LEFT JOIN aliases a
          ON a.session_id = c.session_id AND a.user_id = c.user_id AND a.kind = ? AND a.run_id IS NULL
        WHERE c.user_id = ? AND c.${column} = ? ORDER BY c.created_at DESC, c.id LIMIT ?`,
      [KIND, user_id, value, LOOKED_AT],
    )
  })
  return rows.map((row) => ({
    confirmationId: row.id,
    sessionId: row.name ?? row.session_id,
    session_id: row.session_id,
    toolName: row.tool_name,
    arguments: parseArguments(row.arguments),
    isPending: row.status === 'pending',
    askedAt: row.created_at,
  }))
}
