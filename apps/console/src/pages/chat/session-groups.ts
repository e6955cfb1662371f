import type { Session } from '@parley/protocol'
import { dayBefore } from '../../texts/format.ts'

export type GroupName = 'waiting' | 'running' | 'pinned' | 'today' | 'yesterday' | 'earlier'
/** A session, and the name of its group above the first one. */
export type ListRow = { session: Session; group?: GroupName }

const ORDER: readonly GroupName[] = ['waiting', 'running', 'pinned', 'today', 'yesterday', 'earlier']

/** Who waits comes first, then what runs; the rest by day, in the order in which the server has it. */
export function listRows(sessions: readonly Session[]): ListRow[] {
  const groups = new Map<GroupName, Session[]>()
  const days = { today: dayBefore(0), yesterday: dayBefore(1) }
  for (const session of sessions) {
    const name = groupOf(session, days)
    const group = groups.get(name)
    if (group) group.push(session)
    else groups.set(name, [session])
  }
  return ORDER.flatMap((name) =>
    (groups.get(name) ?? []).map((session, index): ListRow => (index === 0 ? { session, group: name } : { session })),
  )
}

/** Times of the server compare as text: ten thousand dates would be made for nothing. */
function groupOf({ status, is_pinned, updated_at }: Session, days: { today: string; yesterday: string }): GroupName {
  if (status === 'waiting_for_input') return 'waiting'
  if (status === 'running') return 'running'
  if (is_pinned) return 'pinned'
  if (updated_at >= days.today) return 'today'
  return updated_at >= days.yesterday ? 'yesterday' : 'earlier'
}
