import { useSyncExternalStore } from 'react'

let isOn = false
const listeners = new Set<() => void>()

/** The reader wants to see it: from here on the conversation shows the button that kills the server. */
export function beginSurviving(): void {
  isOn = true
  for (const tell of listeners) tell()
}

export function endSurviving(): void {
  isOn = false
  for (const tell of listeners) tell()
}

export const useSurviving = (): boolean =>
  useSyncExternalStore(
    (tell) => {
      listeners.add(tell)
      return () => listeners.delete(tell)
    },
    () => isOn,
  )
