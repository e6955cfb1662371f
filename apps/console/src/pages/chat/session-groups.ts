import type { Session } from '@parley/protocol'
import { daysAgo } from '../../texts/format.ts'

export type GroupName = 'waiting' | 'running' | 'pinned' | 'today' | 'yesterday' | 'earlier'
export type ListRow = { kind: 'group'; name: GroupName } | { kind: 'session'; session: Session }

const ORDER: readonly GroupName[] = ['waiting', 'running', 'pinned', 'today', 'yesterday', 'earlier']

/** Who waits comes first, then what runs; the rest by day, in the order in which the server has it. */
export function listRows(sessions: readonly Session[]): ListRow[] {
  const groups = new Map<GroupName, Session[]>()
  for (const session of sessions) {
    const name = groupOf(session)
    const group = groups.get(name)
    if (group) group.push(session)
    else groups.set(name, [session])
  }
  return ORDER.flatMap((name): ListRow[] => {
    const group = groups.get(name)
    if (!group) return []
    return [{ kind: 'group', name }, ...group.map((session) => ({ kind: 'session' as const, session }))]
  })
}

function groupOf({ status, is_pinned, updated_at }: Session): GroupName {
  if (status === 'waiting_for_input') return 'waiting'
  if (status === 'running') return 'running'
  if (is_pinned) return 'pinned'
  const days = daysAgo(updated_at)
  if (days <= 0) return 'today'
  return days === 1 ? 'yesterday' : 'earlier'
}
