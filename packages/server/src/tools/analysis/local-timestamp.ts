/** `YYYY-MM-DD HH:mm:ss.SSS` in a zone that the text does not name. */
export function localTimestamp(at: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  return `${format.format(at)}.${String(at % 1_000).padStart(3, '0')}`
}
