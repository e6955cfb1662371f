/** The address of an endpoint, whether or not the base ends with a slash. */
export function at(baseUrl: string, path: string): string {
  return `${baseUrl.replace(/\/+$/, '')}${path}`
}

/** A query without the parts that are absent. */
export function query(parts: Record<string, string | number | undefined>): string {
  const present = Object.entries(parts).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(present.map(([name, value]): [string, string] => [name, String(value)])).toString()
  return text && `?${text}`
}
