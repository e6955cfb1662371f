/** What a client needs of the world besides the network: time, and names that nobody else has. */
export type Ports = {
  /** Calls `action` once, `ms` from now. Returns the way back. A script stays alive for it unless `isSpare`. */
  later(action: () => void, ms: number, options?: { isSpare?: boolean }): () => void
  /** A signal that aborts `ms` from now. */
  timeout(ms: number): AbortSignal
  /** A fresh `client_message_id`. */
  newMessageId(): string
}

export const systemPorts: Ports = {
  later(action, ms, { isSpare = false } = {}) {
    const timer = setTimeout(action, ms)
    // Browsers have numbers for timers, and no script that could end.
    if (isSpare && typeof timer === 'object') (timer as { unref?: () => void }).unref?.()
    return () => clearTimeout(timer)
  },
  timeout: (ms) => AbortSignal.timeout(ms),
  // Not `randomUUID`: browsers have that only on secure pages.
  newMessageId() {
    const bytes = crypto.getRandomValues(new Uint8Array(16))
    return `cm_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
  },
}
