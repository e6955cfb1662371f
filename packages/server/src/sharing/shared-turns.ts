import type { TurnProjection } from '@parley/protocol'
import type { SessionReader } from '../feature.ts'
import type { SessionMasks } from '../secrets/session-masks.ts'
import type { Reader } from '../words/reader.ts'
import { Rewording } from '../words/rewording.ts'
import type { FoundShare } from './share-rows.ts'
import { shownTurn } from './shown-turn.ts'

export type SharedTurnsOptions = { sessions: SessionReader; masks: SessionMasks; reader: Reader }

const TURNS_PER_PAGE = 100

/** What a link shows, page by page: the turns that are finished, as they are now. The first page says whether there are any. */
export async function* sharedTurns(
  { session_id, user_id }: Pick<FoundShare, 'session_id' | 'user_id'>,
  { sessions, masks, reader }: SharedTurnsOptions,
): AsyncGenerator<TurnProjection[]> {
  const mask = await masks.of(session_id)
  // Names of tools stay as they were stored: which there are now is not for strangers.
  const rewording = new Rewording({ ...reader, audience: 'visitor' }, () => undefined)
  for (let after = -1; ;) {
    const turns = await sessions.messages({ user_id }, session_id, { after, limit: TURNS_PER_PAGE })
    const finished = turns.filter(({ status, deprecated }) => status !== 'streaming' && !deprecated)
    yield finished.map((turn) => shownTurn(turn, { session_id, mask, rewording }))
    const last = turns.at(-1)
    if (!last || turns.length < TURNS_PER_PAGE) return
    after = last.sequence
  }
}
