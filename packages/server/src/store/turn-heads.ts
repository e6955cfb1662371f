import { ROOT_LOOP } from '@parley/protocol'
import { runSql, type Work } from './work.ts'

/** What is known of a turn without reading all of it: a long answer costs no more than a short one. */
export type TurnHead = {
  turn_id: string
  sequence: number
  loop_id: string
  isDeprecated: boolean
  /** Of its entry. */
  id: string
  /** A damaged one counts as a remark of the system. */
  kind: string
  role: string
}

/** The fields that every projection begins with, whoever wrote it. */
const HEAD = /^\{"id":"([^"\\]*)","sequence":\d+,"turn_id":"[^"\\]*","loop_id":"[^"\\]*","kind":"(\w+)","role":"(\w+)"/
const HEAD_CHARACTERS = 500

/** Of all branches, in ascending order. */
export function* turnHeads(session_id: string): Work<TurnHead[]> {
  const rows = yield* runSql<{
    turn_id: string
    sequence: number
    loop_id: string
    deprecated: number
    head: string
  }>(
    `SELECT turn_id, sequence, loop_id, deprecated, substr(projection, 1, ${HEAD_CHARACTERS}) AS head
      FROM turns WHERE session_id = ? ORDER BY sequence`,
    [session_id],
  )
  return rows.map(({ turn_id, sequence, loop_id, deprecated, head }) => {
    const [, id = '', kind = 'message', role = 'system'] = HEAD.exec(head) ?? []
    return { turn_id, sequence, loop_id, isDeprecated: deprecated === 1, id, kind, role }
  })
}

/** Of the main agent or its user. Remarks of the system and compactions are no steps. */
export function isStep({ loop_id, role }: TurnHead): boolean {
  return loop_id === ROOT_LOOP && role !== 'system'
}
