export type RowWindow = {
  /** First and one behind the last row that is drawn. */
  start: number
  end: number
  /** Height of what is not drawn above and below. */
  before: number
  after: number
}

/** The rows between `top` and `bottom` of a column whose rows have these heights. */
export function windowOf(count: number, heightOf: (index: number) => number, top: number, bottom: number): RowWindow {
  let offset = 0
  let start = 0
  while (start < count - 1 && offset + heightOf(start) <= top) offset += heightOf(start++)
  const before = offset
  let end = start
  while (end < count && offset < bottom) offset += heightOf(end++)
  let after = 0
  for (let i = end; i < count; i++) after += heightOf(i)
  return { start, end, before, after }
}

/** Distance of a row from the top of the column. */
export function offsetOf(index: number, heightOf: (index: number) => number): number {
  let offset = 0
  for (let i = 0; i < index; i++) offset += heightOf(i)
  return offset
}

/** The rows that fill `height` from the end of the column upwards; always at least one. */
export function windowFromEnd(count: number, heightOf: (index: number) => number, height: number): RowWindow {
  let start = count
  for (let filled = 0; start > 0 && filled < height;) filled += heightOf(--start)
  return { start, end: count, before: offsetOf(start, heightOf), after: 0 }
}
