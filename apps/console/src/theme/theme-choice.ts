import { useSyncExternalStore } from 'react'

export type ThemeChoice = 'system' | 'light' | 'dark'

const KEPT = 'parley.theme'
const dark = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

export function themeChoice(): ThemeChoice {
  const kept = localStorage.getItem(KEPT)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

export function chooseTheme(choice: ThemeChoice): void {
  localStorage.setItem(KEPT, choice)
  applyTheme()
  for (const tell of listeners) tell()
}

/** Before anything is drawn, so that nothing flashes. */
export function applyTheme(): void {
  const choice = themeChoice()
  if (choice === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = choice
}

/** What it is now: ChatKit has to be told. */
export function useTheme(): 'light' | 'dark' {
  return useSyncExternalStore(subscribe, () => {
    const choice = themeChoice()
    if (choice !== 'system') return choice
    return dark.matches ? 'dark' : 'light'
  })
}

export function useThemeChoice(): ThemeChoice {
  return useSyncExternalStore(subscribe, themeChoice)
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell)
  dark.addEventListener('change', tell)
  return () => {
    listeners.delete(tell)
    dark.removeEventListener('change', tell)
  }
}
