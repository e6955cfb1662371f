import type { Mark } from '../../timeline/marks.ts'
import type { Row } from '../../timeline/rows.ts'

/** The next commit point in this direction, as a number of events. */
export function nextPoint(rows: readonly Row[], count: number, step: 1 | -1): number {
  const points = rows.filter(({ points: its }) => its.length > 0).map(({ to }) => to + 1)
  return nextOf(points, count, step)
}

/** The next mark: where somebody died, took over, stopped. */
export function nextMark(marks: readonly Mark[], count: number, step: 1 | -1): number {
  return nextOf(
    marks.map(({ index }) => index + 1),
    count,
    step,
  )
}

function nextOf(counts: readonly number[], count: number, step: 1 | -1): number {
  const found = step === 1 ? counts.find((one) => one > count) : counts.findLast((one) => one < count)
  return found ?? count
}
