export type RowWindow = {
  /** First and one behind the last row that is drawn. */
  start: number
  end: number
  /** Height of what is not drawn above and below. */
  before: number
  after: number
}

/** Rows below each other, by their number and heights. */
export type Column = { count: number; heightOf: (index: number) => number }

/** The rows between `top` and `bottom` of a column whose rows have these heights. */
export function windowOf({ count, heightOf }: Column, top: number, bottom: number): RowWindow {
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
export function offsetOf(index: number, heightOf: Column['heightOf']): number {
  let offset = 0
  for (let i = 0; i < index; i++) offset += heightOf(i)
  return offset
}

/** The rows that fill `height` from the end of the column upwards; always at least one. */
export function windowFromEnd({ count, heightOf }: Column, height: number): RowWindow {
  let start = count
  for (let filled = 0; start > 0 && filled < height;) filled += heightOf(--start)
  return { start, end: count, before: offsetOf(start, heightOf), after: 0 }
}

/** These rows, as far as the column still has them. */
export function windowAt({ count, heightOf }: Column, range: Pick<RowWindow, 'start' | 'end'>): RowWindow {
  const start = Math.min(range.start, count)
  const end = Math.min(Math.max(range.end, start), count)
  return { start, end, before: offsetOf(start, heightOf), after: offsetOf(count, heightOf) - offsetOf(end, heightOf) }
}
