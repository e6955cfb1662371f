import { type KeyboardEvent, type RefObject, useCallback } from 'react'
import { useShortcuts } from './use-shortcuts.ts'

/** The keys of every list: arrows inside it, `j` and `k` from anywhere, move the focus among its rows (`data-row`). */
export function useRowKeys(list: RefObject<HTMLElement | null>): (event: KeyboardEvent) => void {
  const move = useCallback(
    (step: 1 | -1) => {
      const rows = [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
      const here = rows.findIndex((row) => row === document.activeElement || row.contains(document.activeElement))
      const current = rows.findIndex((row) => row.hasAttribute('aria-current'))
      const next = here === -1 && current === -1 ? 0 : (here === -1 ? current : here) + step
      rows[Math.max(0, Math.min(next, rows.length - 1))]?.focus()
    },
    [list],
  )
  useShortcuts({ j: () => move(1), k: () => move(-1) })
  return (event) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    if ((event.target as Element).matches('input:not([type=checkbox]), select, [role=menuitem]')) return
    event.preventDefault()
    move(event.key === 'ArrowDown' ? 1 : -1)
  }
}

/** What the row that has the focus stands for. */
export function focusedRow(): string | undefined {
  return document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset['row']
}

/** Whether a dialog or a menu is open, whose Escape it is. */
export const isCovered = (): boolean => document.querySelector('dialog[open], :popover-open') !== null
