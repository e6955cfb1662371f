// Replaced by bundlers; absent in a browser without one.
declare const process: { env: Record<string, string | undefined> }

/** For developers only; says nothing in production. */
export function devWarning(message: string): void {
  // oxlint-disable-next-line no-console
  if (isDevelopment()) console.warn(`[chatkit] ${message}`)
}

function isDevelopment(): boolean {
  try {
    return process.env['NODE_ENV'] !== 'production'
  } catch {
    return false
  }
}
