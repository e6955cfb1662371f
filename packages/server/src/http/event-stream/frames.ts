/** A message of an event stream. `data` is one line, as JSON is. */
export function eventFrame({ id, event, data }: { id?: string | number; event?: string; data: string }): string {
  const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`
  return `${head}data: ${data}\n\n`
}

/** Readable on a terminal, and nothing to clients. */
export function commentFrame(text: string): string {
  return `: ${text}\n\n`
}
