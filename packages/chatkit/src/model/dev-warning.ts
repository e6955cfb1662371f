// Replaced by bundlers; absent in a browser without one.
declare const process: { env: Record<string, string | undefined> }

/** For developers only; says nothing in production. */
export function devWarning(message: string): void {
  // oxlint-disable-next-line no-console
  if (isDevelopment()) console.warn(`[chatkit] ${message}`)
}

const told = new Set<string>()

/** What keeps a chat from working, for whoever put it on the page: also in production, each sentence once. */
export function tellDeveloper(message: string): void {
  if (told.has(message)) return
  told.add(message)
  // oxlint-disable-next-line no-console
  console.warn(`[parley] ${message}`)
}

function isDevelopment(): boolean {
  try {
    return process.env['NODE_ENV'] !== 'production'
  } catch {
    return false
  }
}
