import type { TurnProjection } from '@parley/protocol'
import type { Principal } from '../auth/principal.ts'
import type { SessionReader } from '../feature.ts'
import { type Mask, maskValue } from '../secrets/session-masks.ts'

const TURNS_PER_PAGE = 100

export type Exporting = {
  principal: Principal
  session_id: string
  sessions: SessionReader
  mask: Mask
}

/** The finished turns of a session, as its owner sees them, with known secrets masked; a page is in memory at a time. */
export async function* exportedTurns({
  principal,
  session_id,
  sessions,
  mask,
}: Exporting): AsyncGenerator<TurnProjection> {
  for (let after = -1; ;) {
    const turns = await sessions.messages(principal, session_id, { after, limit: TURNS_PER_PAGE })
    for (const turn of turns) if (turn.status !== 'streaming') yield maskValue(turn, mask)
    const last = turns.at(-1)
    if (!last || turns.length < TURNS_PER_PAGE) return
    after = last.sequence
  }
}
