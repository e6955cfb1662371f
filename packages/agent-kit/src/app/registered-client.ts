import type { BladeClient } from '@parley/client'

let registered: BladeClient | null = null
const listeners = new Set<() => void>()

/** Makes `client` the application's client: the one that the API shortcuts and the stores use. */
export function registerClient(client: BladeClient): void {
  if (registered === client) return
  registered = client
  for (const listener of listeners) listener()
}

export function findRegisteredClient(): BladeClient | null {
  return registered
}

export function registeredClient(): BladeClient {
  if (registered) return registered
  throw new Error('There is no client yet. Call bootstrapBladeClient(), or put <BladeClientProvider> around this.')
}

/** Calls `listener` whenever another client becomes the application's. */
export function onClientRegistered(listener: () => void): void {
  listeners.add(listener)
}
