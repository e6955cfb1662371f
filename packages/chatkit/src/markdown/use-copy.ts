import { useCallback, useEffect, useRef, useState } from 'react'

const SHOWN_MS = 2000

/** Writes text to the clipboard, and says for a moment that it did. `write`: in another way than as plain text. */
export function useCopy(): { isCopied: boolean; copy: (text: string, write?: () => Promise<void>) => void } {
  const [isCopied, setCopied] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const copy = useCallback((text: string, write = () => navigator.clipboard.writeText(text)) => {
    void tryWrite(text, write).then((isWritten) => {
      if (!isWritten) return
      clearTimeout(timer.current)
      setCopied(true)
      timer.current = setTimeout(() => setCopied(false), SHOWN_MS)
    })
  }, [])
  return { isCopied, copy }
}

async function tryWrite(text: string, write: () => Promise<void>): Promise<boolean> {
  try {
    await write()
    return true
  } catch {
    return writeBySelection(text)
  }
}

/** For pages without the clipboard API (http, old frames). */
function writeBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.ariaHidden = 'true'
  area.className = 'ck-hidden'
  const focused = document.activeElement
  document.body.append(area)
  area.select()
  const isWritten = document.execCommand('copy')
  area.remove()
  ;(focused as HTMLElement | null)?.focus()
  return isWritten
}
