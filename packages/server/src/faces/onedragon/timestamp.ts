/** Writes moments as `YYYY-MM-DD HH:mm:ss.SSS` in one zone, which the text does not name ([O5]). */
export function timestampIn(timeZone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
  })
  return (at) => {
    const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
    const { year, month, day, hour, minute, second, fractionalSecond } = part
    return `${year}-${month}-${day} ${hour}:${minute}:${second}.${fractionalSecond}`
  }
}
