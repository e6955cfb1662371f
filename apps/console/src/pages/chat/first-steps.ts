import { useSyncExternalStore } from 'react'

export const STEPS = ['talk', 'tool', 'approve', 'embed', 'survive'] as const
export type Step = (typeof STEPS)[number]

/** What was done, and how long the first conversation took; `closed` once the reader has had enough. */
export type FirstStepsState = { done: Partial<Record<Step, true>>; talkMs?: number; isClosed: boolean }

const KEPT = 'parley.first-steps'
const listeners = new Set<() => void>()
let current = read()

export const useFirstSteps = (): FirstStepsState => useSyncExternalStore(subscribe, () => current)

export const nextStep = ({ done, isClosed }: FirstStepsState): Step | undefined =>
  isClosed ? undefined : STEPS.find((step) => !done[step])

/** From facts: a run ended, a tool answered, something was decided, a snippet was copied, a crash was survived. */
export function tick(step: Step, talkMs?: number): void {
  if (current.done[step]) return
  keep({ ...current, done: { ...current.done, [step]: true }, ...(talkMs !== undefined && { talkMs }) })
}

export const closeFirstSteps = (): void => keep({ ...current, isClosed: true })
export const showFirstSteps = (): void => keep({ ...current, isClosed: false })

function keep(next: FirstStepsState): void {
  current = next
  localStorage.setItem(KEPT, JSON.stringify(next))
  for (const tell of listeners) tell()
}

function read(): FirstStepsState {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? '{}') as Partial<FirstStepsState>
    return { done: {}, isClosed: false, ...kept }
  } catch {
    return { done: {}, isClosed: false }
  }
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell)
  return () => listeners.delete(tell)
}
