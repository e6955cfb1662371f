import type { ParleyClient } from '@parley/client'

let registered: ParleyClient | null = null
const listeners = new Set<() => void>()

/** Makes `client` the application's client: the one that the API shortcuts and the stores use. */
export function registerClient(client: ParleyClient): void {
  if (registered === client) return
  registered = client
  for (const listener of listeners) listener()
}

export function findRegisteredClient(): ParleyClient | null {
  return registered
}

export function registeredClient(): ParleyClient {
  if (registered) return registered
  throw new Error('There is no client yet. Call bootstrapBladeClient(), or put <BladeClientProvider> around this.')
}

/** Calls `listener` whenever another client becomes the application's. */
export function onClientRegistered(listener: () => void): void {
  listeners.add(listener)
}
