import { useEffect, useRef } from 'react'
import { useWords } from '../../texts/language.ts'
import { shellWords } from '../../shell/words.ts'
import { preferences } from '../preferences.ts'

type Waiting = { id: string; title: string }

/** One for each thing that begins to wait while nobody looks at the page, if that is wanted here. */
export function useNotifications(waiting: readonly Waiting[] | undefined, open: () => void): void {
  const words = useWords(shellWords)
  const known = useRef<ReadonlySet<string> | undefined>(undefined)
  useEffect(() => {
    if (!waiting) return
    const before = known.current
    known.current = new Set(waiting.map(({ id }) => id))
    // What waited already when the page was opened is no news.
    if (!before || !document.hidden || !preferences().notify || !mayNotify()) return
    for (const { id, title } of waiting) {
      if (before.has(id)) continue
      const notification = new Notification(words.waitsForYou, { body: title, tag: id })
      notification.addEventListener('click', () => {
        focus()
        open()
        notification.close()
      })
    }
  }, [waiting, words, open])
}

export const mayNotify = (): boolean => 'Notification' in window && Notification.permission === 'granted'
