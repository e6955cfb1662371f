import { useEffect, useId, useRef, type KeyboardEvent } from 'react'
import { activeIn } from '../controls/active-in.ts'
import { IconButton } from '../controls/icon-button.tsx'
import { joinClasses } from '../controls/join-classes.ts'
import { useKit } from '../kit/kit-context.ts'
import { part } from '../controls/part.ts'
import type { DrawerContent } from './drawer.tsx'

/** The focus moves in when it opens, stays inside, and goes back to where it was. */
export function DrawerPanel({ title, content, isWide = false, onClose }: DrawerContent & { onClose: () => void }) {
  const { texts, classNames } = useKit().options
  const id = useId()
  const panel = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const before = panel.current && activeIn(panel.current)
    panel.current?.focus()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      event.stopPropagation()
      onClose()
    }
    if (event.key === 'Tab' && panel.current) keepInside(panel.current, event)
  }
  return (
    <div className="ck-drawer-cover">
      <div
        ref={panel}
        {...part('drawer')}
        className={joinClasses('ck-drawer', classNames.drawer)}
        data-wide={isWide || undefined}
        role="dialog"
        aria-modal="true"
        aria-labelledby={id}
        tabIndex={-1}
        onKeyDown={onKeyDown}
      >
        <div className="ck-drawer-head">
          <h2 id={id}>{title}</h2>
          <IconButton icon="close" label={texts.close} onClick={onClose} />
        </div>
        <div className="ck-drawer-body">{content}</div>
      </div>
    </div>
  )
}

function keepInside(panel: HTMLElement, event: KeyboardEvent): void {
  const stops = [
    ...panel.querySelectorAll<HTMLElement>('a[href], button:not([disabled]), input, textarea, iframe, [tabindex="0"]'),
  ]
  const first = stops[0]
  const last = stops.at(-1)
  const active = activeIn(panel)
  if (event.shiftKey ? active === first || active === panel : active === last) {
    event.preventDefault()
    ;(event.shiftKey ? last : first)?.focus()
  }
}
