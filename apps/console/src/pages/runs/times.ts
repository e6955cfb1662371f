/** `+0.006`, `+7.22`, `+6:40.1`: since the start of a run. */
export function since(ms: number): string {
  const seconds = ms / 1_000
  if (seconds < 60) return `+${seconds.toFixed(seconds < 1 ? 3 : 2)}`
  return `+${clockOf(ms)}.${Math.floor((ms % 1_000) / 100)}`
}

/** `7:20`, `1:02:05`. */
export function clockOf(ms: number): string {
  const seconds = Math.floor(ms / 1_000)
  const two = (value: number) => String(value).padStart(2, '0')
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
}

/** A moment to the thousandth, by the reader's clock. */
export function momentOf(at: number): string {
  const date = new Date(at)
  const two = (value: number) => String(value).padStart(2, '0')
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')
  return `${time}.${String(date.getMilliseconds()).padStart(3, '0')}`
}
