import { useCallback, useEffect, useRef, useState } from 'react'

const SHOWN_MS = 2000

/** Writes text to the clipboard, and says for a moment that it did. */
export function useCopy(): { isCopied: boolean; copy: (text: string, html?: string) => void } {
  const [isCopied, setCopied] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const copy = useCallback((text: string, html?: string) => {
    void write(text, html).then((isWritten) => {
      if (!isWritten) return
      clearTimeout(timer.current)
      setCopied(true)
      timer.current = setTimeout(() => setCopied(false), SHOWN_MS)
    })
  }, [])
  return { isCopied, copy }
}

async function write(text: string, html?: string): Promise<boolean> {
  try {
    if (html !== undefined && typeof ClipboardItem !== 'undefined') {
      const part = (type: string, value: string) => ({ [type]: new Blob([value], { type }) })
      await navigator.clipboard.write([new ClipboardItem({ ...part('text/plain', text), ...part('text/html', html) })])
    } else await navigator.clipboard.writeText(text)
    return true
  } catch {
    return writeBySelection(text)
  }
}

/** For pages without the clipboard API (http, old frames). */
function writeBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.setAttribute('aria-hidden', 'true')
  area.className = 'ck-hidden'
  const focused = document.activeElement
  document.body.append(area)
  area.select()
  const isWritten = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isWritten
}
