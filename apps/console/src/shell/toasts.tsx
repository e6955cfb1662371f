import { X } from '../ui/icons.tsx'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { IconButton } from '../ui/button.tsx'
import { useWords } from '../texts/language.ts'
import { shellWords } from './words.ts'

type Toast = { id: number; text: string; action?: { label: string; run: () => void } | undefined; lastsMs: number }

let current: Toast | null = null
let count = 0
const listeners = new Set<() => void>()

/** One at a time; a new one takes the place of the last. */
export function showToast(text: string, { action, lastsMs = 5_000 }: Partial<Omit<Toast, 'id' | 'text'>> = {}): number {
  current = { id: (count += 1), text, action, lastsMs }
  for (const tell of listeners) tell()
  return current.id
}

function dropToast(id: number): void {
  if (current?.id !== id) return
  current = null
  for (const tell of listeners) tell()
}

/** Something is gone from sight at once; it is done when the time to take it back is over, or the page closes. */
export function showUndo(
  text: string,
  { undo, label, commit }: { undo: () => void; label: string; commit: () => void },
) {
  const lastsMs = 8_000
  let isOpen = true
  const end = (act: () => void) => {
    if (!isOpen) return
    isOpen = false
    clearTimeout(timer)
    removeEventListener('pagehide', onLeave)
    act()
  }
  const onLeave = () => end(commit)
  const timer = setTimeout(() => end(commit), lastsMs)
  addEventListener('pagehide', onLeave)
  showToast(text, { lastsMs, action: { label, run: () => end(undo) } })
}

export function Toasts() {
  const words = useWords(shellWords)
  const toast = useSyncExternalStore(subscribe, () => current)
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (!toast || isHeld) return
    const timer = setTimeout(() => dropToast(toast.id), toast.lastsMs)
    return () => clearTimeout(timer)
  }, [toast, isHeld])
  return (
    <div role="status" aria-live="polite" className="pointer-events-none fixed bottom-4 left-4 z-50 max-md:bottom-20">
      {toast ? (
        <div
          onPointerEnter={() => setHeld(true)}
          onPointerLeave={() => setHeld(false)}
          className="pointer-events-auto flex items-center gap-2 rounded-card border border-line bg-surface py-1 pr-1 pl-4 text-13 shadow-menu"
        >
          {toast.text}
          {toast.action ? (
            <button
              type="button"
              className="min-h-8 rounded-control px-2 font-medium text-accent hover:bg-hover"
              onClick={() => {
                toast.action?.run()
                dropToast(toast.id)
              }}
            >
              {toast.action.label}
            </button>
          ) : null}
          <IconButton label={words.close} onClick={() => dropToast(toast.id)}>
            <X size={16} />
          </IconButton>
        </div>
      ) : null}
    </div>
  )
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell)
  return () => listeners.delete(tell)
}
