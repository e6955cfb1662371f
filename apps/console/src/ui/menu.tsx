import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'

export type MenuItem = {
  label: string
  onSelect: () => void
  icon?: ReactNode
  isDangerous?: boolean
  shortcut?: string
}

type MenuProps = {
  label: string
  items: readonly MenuItem[]
  /** What opens it. */
  children: ReactNode
  className?: string
  tabIndex?: number
}

/** A list of things to do, below its button. Arrows move, a letter finds, Escape leaves. */
export function Menu({ label, items, children, className = '', tabIndex }: MenuProps) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const anchor = `--menu-${id.replaceAll(/[^a-zA-Z0-9]/g, '')}`
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])]
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
    const next = nextIndex(event.key, at, items)
    if (next === undefined) return
    event.preventDefault()
    event.stopPropagation()
    buttons[(next + buttons.length) % buttons.length]?.focus()
  }
  return (
    <>
      <button
        type="button"
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        popoverTarget={id}
        tabIndex={tabIndex}
        style={{ anchorName: anchor }}
        onClick={(event) => event.stopPropagation()}
        className={`inline-flex size-8 items-center justify-center rounded-control text-muted hover:bg-hover hover:text-text max-md:size-11 ${className}`}
      >
        {children}
      </button>
      <div
        id={id}
        ref={list}
        popover="auto"
        role="menu"
        aria-label={label}
        tabIndex={-1}
        style={{ positionAnchor: anchor }}
        onKeyDown={onKeyDown}
        onBeforeToggle={(event) => flushSync(() => setOpen(event.newState === 'open'))}
        onToggle={(event) => event.newState === 'open' && list.current?.querySelector('button')?.focus()}
        onClick={(event) => event.stopPropagation()}
        className="menu-popover"
      >
        {(isOpen ? items : []).map(({ label: name, icon, onSelect, isDangerous, shortcut }) => (
          <button
            key={name}
            type="button"
            role="menuitem"
            data-danger={isDangerous || undefined}
            onClick={() => {
              list.current?.hidePopover()
              onSelect()
            }}
            className="flex min-h-8 w-full items-center gap-2 rounded-inner px-2 text-left text-13 hover:bg-hover focus-visible:bg-hover data-danger:text-danger max-md:min-h-11"
          >
            {icon}
            <span className="grow">{name}</span>
            {shortcut ? <span className="text-12 text-faint">{shortcut}</span> : null}
          </button>
        ))}
      </div>
    </>
  )
}

function nextIndex(key: string, at: number, items: readonly MenuItem[]): number | undefined {
  if (key === 'ArrowDown') return at + 1
  if (key === 'ArrowUp') return at - 1
  if (key === 'Home') return 0
  if (key === 'End') return items.length - 1
  if (key.length !== 1) return undefined
  const found = items.findIndex(({ label }, index) => index > at && label.toLowerCase().startsWith(key.toLowerCase()))
  return found === -1 ? undefined : found
}
