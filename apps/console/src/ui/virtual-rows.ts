/** Where each row begins, and after the last one where all end. */
export function offsetsOf<Item>(items: readonly Item[], heightOf: (item: Item) => number): Float64Array {
  const offsets = new Float64Array(items.length + 1)
  for (let index = 0; index < items.length; index++) offsets[index + 1] = offsets[index]! + heightOf(items[index]!)
  return offsets
}

/** The row at this height; the first or last one beyond them. */
export function indexAt(offsets: Float64Array, top: number): number {
  let [low, high] = [0, Math.max(0, offsets.length - 2)]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (offsets[middle]! <= top) low = middle
    else high = middle - 1
  }
  return low
}

export type Drawn = { offsets: Float64Array; rows: readonly (readonly [key: string, offset: number])[] }

type Now<Item> = {
  items: readonly Item[]
  keyOf: (item: Item) => string
  offsets: Float64Array
  top: number
  height: number
}

/** How far most of the rows in sight have moved: a single one may have gone its own way. */
export function shiftOf<Item>({ rows }: Drawn, { items, keyOf, offsets, top, height }: Now<Item>): number {
  const inSight = new Map(rows.filter(([, offset]) => offset >= top && offset < top + height))
  const shifts: number[] = []
  for (let index = 0; index < items.length && shifts.length < inSight.size; index++) {
    const before = inSight.get(keyOf(items[index]!))
    if (before !== undefined) shifts.push(offsets[index]! - before)
  }
  return shifts.sort((a, b) => a - b)[shifts.length >> 1] ?? 0
}
