import type { AgentSession } from '@parley/client'
import type { TurnProjection } from '@parley/protocol'

/** Tells of everything new that `itemsOf` finds in the turns of a session, each once; what its history holds is old. */
export function watchTurns<Item extends { id: string }>(
  session: AgentSession,
  itemsOf: (turn: TurnProjection) => readonly Item[],
  onNew: (item: Item) => void,
): () => void {
  const known = new Set<string>()
  let before: readonly TurnProjection[] | null = null
  let first = 0
  let branch: string | undefined
  /** What began while somebody looked on; all else that another branch brings is history. */
  const live = new Set<string>()
  const look = () => {
    const { turns, isReady, branch: now } = session.getState()
    if (turns === before || (before === null && !isReady)) return
    const isHistory = before === null
    if (isHistory) first = turns[0]?.sequence ?? 0
    // Turns before those that were read at first are history too, whenever somebody reads them.
    const changed = turns.filter((turn, index) => before?.[index] !== turn && turn.sequence >= first)
    before = turns
    const isElsewhere = now?.branch_id !== branch
    branch = now?.branch_id
    for (const turn of changed) {
      const isOld = isHistory || (isElsewhere && !live.has(turn.turn_id))
      for (const item of itemsOf(turn)) {
        if (known.has(item.id)) continue
        known.add(item.id)
        // On its own: a page's mistake stops neither the others nor the session.
        if (!isOld) queueMicrotask(() => onNew(item))
      }
    }
  }
  const undo = [session.on('turn:start', ({ turn_id }) => live.add(turn_id)), session.subscribe(look)]
  look()
  return () => {
    for (const stop of undo) stop()
  }
}
