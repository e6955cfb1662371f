/** Lists by session id. A session without one has the same empty list every time, so selectors may return it. */
export type BySession<Item> = Readonly<Record<string, readonly Item[]>>

const NONE: readonly never[] = []

/** A record that knows every session. React 19 draws in a loop when a selector makes a new empty list each time. */
export function bySession<Item>(lists: BySession<Item> = {}): BySession<Item> {
  return new Proxy(lists, {
    get: (target, id) => (typeof id === 'string' && !Object.hasOwn(target, id) ? NONE : Reflect.get(target, id)),
  })
}

/** The same lists with another one for one session; an empty one is forgotten. */
export function withList<Item>(lists: BySession<Item>, id: string, list: readonly Item[]): BySession<Item> {
  const { [id]: _, ...others } = lists
  return bySession(list.length === 0 ? others : { ...others, [id]: list })
}
