import type { Span } from './branch.ts'
import { isOnPath } from './is-on-path.ts'
import type { TurnProjection } from './turn.ts'

/** Marks what a turn has replaced in the model's context, where it is a compaction that is complete. Others change nothing. */
export function archiveTurns(turns: readonly TurnProjection[], compaction: TurnProjection): readonly TurnProjection[] {
  if (!isCompleteCompaction(compaction)) return turns
  if (!turns.some((turn) => isReplaced(turn, compaction))) return turns
  return turns.map((turn) => (isReplaced(turn, compaction) ? { ...turn, archived: true } : turn))
}

/**
 * The turns when the conversation takes this path: those beside it are deprecated, and what compactions on it have replaced
 * is archived, whatever those of other branches did.
 */
export function followPath(turns: readonly TurnProjection[], path: readonly Span[]): readonly TurnProjection[] {
  const marked = turns.map((turn): TurnProjection => {
    const { deprecated: _deprecated, archived: _archived, ...rest } = turn
    return isOnPath(path, turn.sequence) ? rest : { ...rest, deprecated: true }
  })
  const active = marked.filter(({ deprecated }) => !deprecated)
  const archived = active.reduce<readonly TurnProjection[]>(archiveTurns, marked)
  return archived.map((turn, index) => (isMarkedAlike(turn, turns[index]!) ? turns[index]! : turn))
}

function isMarkedAlike(one: TurnProjection, other: TurnProjection): boolean {
  return one.deprecated === other.deprecated && one.archived === other.archived
}

export function isCompleteCompaction({ kind, status }: TurnProjection): boolean {
  return kind === 'compaction' && status === 'completed'
}

/** Turns of its loop in its range, and the compaction before it, whose summary it has taken up. */
export function isReplaced(turn: TurnProjection, { loop_id, sequence, archived_range }: TurnProjection): boolean {
  if (turn.archived || turn.deprecated || turn.loop_id !== loop_id || turn.sequence >= sequence || !archived_range)
    return false
  if (turn.kind === 'compaction') return turn.status === 'completed' || isWithin(turn.sequence, archived_range)
  return isWithin(turn.sequence, archived_range)
}

function isWithin(sequence: number, { from, to, kept }: NonNullable<TurnProjection['archived_range']>): boolean {
  return sequence >= from && sequence <= to && !kept.includes(sequence)
}
