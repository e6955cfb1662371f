import { useSyncExternalStore } from 'react'
import { client } from './client.ts'

/** How somebody likes the console; the same wherever they sign in. */
export type Preferences = {
  density: 'comfortable' | 'compact'
  /** What sends a message; the other one starts a line. */
  send: 'enter' | 'ctrl+enter'
  /** A notification of the browser when something begins to wait while nobody looks. Each browser asks for leave, too. */
  notify: boolean
}

const KEPT = 'parley.preferences'
const PATH = '/api/user/preferences/console'
const DEFAULTS: Preferences = { density: 'comfortable', send: 'enter', notify: false }

const listeners = new Set<() => void>()
let current = read(localStorage.getItem(KEPT))
show()

export function usePreferences(): Preferences {
  return useSyncExternalStore(
    (tell) => {
      listeners.add(tell)
      return () => listeners.delete(tell)
    },
    () => current,
  )
}

export const preferences = (): Preferences => current

/** Counts at once and here; the server keeps it for the other browsers, or says why not. */
export async function prefer(change: Partial<Preferences>): Promise<void> {
  keep({ ...current, ...change })
  await client.api.put(PATH, { value: JSON.stringify(current) })
}

/** What was chosen elsewhere since. Without an answer it stays as it is here. */
export async function readPreferences(): Promise<void> {
  const { value } = await client.api.get<{ value: string | null }>(PATH)
  if (value !== null) keep(read(value))
}

function keep(next: Preferences): void {
  current = next
  localStorage.setItem(KEPT, JSON.stringify(next))
  show()
  for (const tell of listeners) tell()
}

/** Row heights are a matter of style alone. */
function show(): void {
  document.documentElement.dataset['density'] = current.density
}

/** What another version wrote counts as far as it is known. */
function read(text: string | null): Preferences {
  try {
    const given = JSON.parse(text ?? '{}') as Partial<Preferences>
    return {
      density: given.density === 'compact' ? 'compact' : DEFAULTS.density,
      send: given.send === 'ctrl+enter' ? 'ctrl+enter' : DEFAULTS.send,
      notify: given.notify === true,
    }
  } catch {
    return DEFAULTS
  }
}
