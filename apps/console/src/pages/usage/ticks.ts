/** Two to five lines at round numbers, from zero to no less than the largest value. */
export function ticksUpTo(largest: number, steps: readonly number[] = [1, 2, 5]): number[] {
  if (!(largest > 0)) return [0, 1]
  const power = 10 ** Math.floor(Math.log10(largest))
  const sizes = [power / 10, power].flatMap((unit) => steps.map((step) => step * unit))
  const step = sizes.find((size) => largest / size <= 4) ?? power * 10
  return Array.from({ length: Math.ceil(round(largest / step)) + 1 }, (_, index) => round(index * step))
}

/** Times are read by the second, the minute and the hour. */
const MINUTE = 60_000
const HOUR = 60 * MINUTE
export function timeTicksUpTo(largestMs: number): number[] {
  const unit = largestMs <= 2 * MINUTE ? 1_000 : largestMs <= 2 * HOUR ? MINUTE : HOUR
  return ticksUpTo(largestMs / unit, [1, 1.5, 2, 3, 5]).map((tick) => tick * unit)
}

const round = (value: number) => Number(value.toPrecision(12))
