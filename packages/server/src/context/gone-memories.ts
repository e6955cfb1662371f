import type { UserPart } from '../ports.ts'
import { runSql, type Work } from '../store/work.ts'
import type { StoredTurn } from './stored-turns.ts'

const GONE = '(This was forgotten, switched off or replaced since.)'

/** What is no longer remembered, or no longer true, is not told on by messages that it once stood with. */
export function* withoutForgotten(turns: StoredTurn[]): Work<StoredTurn[]> {
  const ids = [...new Set(turns.flatMap(({ said }) => (said ?? []).flatMap(idOf)))]
  if (ids.length === 0) return turns
  const rows = yield* runSql<{ id: number | string }>(
    `SELECT id FROM memories WHERE disabled = 0 AND superseded_by IS NULL AND id IN (${ids.map(() => '?').join(', ')})`,
    ids,
  )
  const known = new Set(rows.map(({ id }) => Number(id)))
  if (known.size === ids.length) return turns
  const isKnown = (part: UserPart) => idOf(part).every((id) => known.has(id))
  return turns.map((stored) =>
    !stored.said || stored.said.every(isKnown)
      ? stored
      : { ...stored, said: stored.said.map((part) => (isKnown(part) ? part : { type: 'text', text: GONE })) },
  )
}

function idOf(part: UserPart): number[] {
  const { by, passage = null } = (part.type === 'text' && part.recalled) || {}
  return by === 'memory' && passage !== null ? [passage] : []
}
