// Replaced by bundlers; absent in a browser without one.
declare const process: { env: Record<string, string | undefined> }

/** For developers only: a production build neither looks nor carries the sentence. */
export function devWarning(isDue: () => boolean, message: string): void {
  try {
    if (process.env['NODE_ENV'] === 'production') return
  } catch {
    return // No bundler, so nobody is building here.
  }
  // oxlint-disable-next-line no-console
  if (isDue()) console.warn(`[chatkit] ${message}`)
}

const told = new Set<string>()

/** What keeps a chat from working, for whoever put it on the page: also in production, each sentence once. */
export function tellDeveloper(message: string): void {
  if (told.has(message)) return
  told.add(message)
  // oxlint-disable-next-line no-console
  console.warn(`[parley] ${message}`)
}
