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
  const look = () => {
    const { turns, isReady } = session.getState()
    if (turns === before || (before === null && !isReady)) return
    const isHistory = before === null
    if (isHistory) first = turns[0]?.sequence ?? 0
    // Turns before those that were read at first are history too, whenever somebody reads them.
    const changed = turns.filter((turn, index) => before?.[index] !== turn && turn.sequence >= first)
    before = turns
    for (const item of changed.flatMap(itemsOf)) {
      if (known.has(item.id)) continue
      known.add(item.id)
      // On its own: a page's mistake stops neither the others nor the session.
      if (!isHistory) queueMicrotask(() => onNew(item))
    }
  }
  look()
  return session.subscribe(look)
}
