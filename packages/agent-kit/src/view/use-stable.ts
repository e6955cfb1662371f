import { useRef } from 'react'

const NOTHING = {}

/** The same object until one of its values is another: pages write these props inline. */
export function useStable<Props extends object>(given: Props | undefined): Props {
  const next = given ?? (NOTHING as Props)
  const held = useRef(next)
  if (!isSame(held.current, next)) held.current = next
  return held.current
}

function isSame(a: object, b: object): boolean {
  const before = Object.entries(a)
  return before.length === Object.keys(b).length && before.every(([key, value]) => Reflect.get(b, key) === value)
}
