import type { Session } from '@parley/protocol'
import type { SessionPage } from '@parley/protocol/rest'

/** Sessions as far down as they were read, in the server's order. */
export type SessionList = Pick<SessionPage, 'items' | 'next' | 'total' | 'content_match_truncated'>

/** Pinned ones first, then the newest. */
export function inOrder(a: Session, b: Session): number {
  if (a.is_pinned !== b.is_pinned) return a.is_pinned ? -1 : 1
  if (a.updated_at !== b.updated_at) return a.updated_at > b.updated_at ? -1 : 1
  return a.id < b.id ? -1 : 1
}

/** With the page that comes after all that is known. */
export function withMore(list: SessionList, page: SessionPage): SessionList {
  return {
    ...merged(list.items, page.items),
    next: page.next,
    total: page.total,
    content_match_truncated: list.content_match_truncated,
  }
}

/**
 * What is known, and what the server says now of the top of its list. A session that is not where it was is gone: deleted, or
 * further down, where it is found when somebody gets there.
 */
export function withTop(known: SessionList | undefined, top: SessionList): SessionList {
  const last = top.items.at(-1)
  if (!known || !last || top.next === null) return top
  const rest = known.items.filter((session) => inOrder(session, last) > 0)
  if (rest.length === 0) return top
  return { ...top, ...merged(rest, top.items), next: known.next }
}

/** With this session where it belongs; one that nobody has read down to yet stays out. */
export function withSession(list: SessionList, session: Session): SessionList {
  const last = list.items.at(-1)
  const rest = list.items.filter(({ id }) => id !== session.id)
  if (list.next !== null && last && inOrder(session, last) > 0) return { ...list, items: rest }
  return { ...list, items: [...rest, session].sort(inOrder) }
}

export function withoutSession(list: SessionList, id: string): SessionList {
  return { ...list, items: list.items.filter((session) => session.id !== id) }
}

/** What both have, each once, as the second has it. */
function merged(known: readonly Session[], read: readonly Session[]): { items: Session[] } {
  const now = new Set(read.map(({ id }) => id))
  return { items: [...known.filter(({ id }) => !now.has(id)), ...read].sort(inOrder) }
}
