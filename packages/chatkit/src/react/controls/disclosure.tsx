import { useId, useState, type ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'
import { joinClasses } from './join-classes.ts'

export type DisclosureProps = {
  icon: IconName
  title: ReactNode
  /** What stands at the end of the row: a state, a duration. */
  aside?: ReactNode
  /** Until the reader decides. */
  isOpen?: boolean
  /** Stands on the row as `data-status`. */
  status?: string
  onOpen?: () => void
  className?: string
  children: ReactNode
}

/** A row that opens what is below it. Once the reader has opened or closed it, it stays that way. */
export function Disclosure(props: DisclosureProps) {
  const { icon, title, aside, isOpen = false, status, onOpen, className, children } = props
  const [choice, setChoice] = useState<boolean>()
  const id = useId()
  const isShown = choice ?? isOpen
  return (
    <div className={joinClasses('ck-disclosure', className)} data-status={status}>
      <button
        type="button"
        className="ck-row-button"
        aria-expanded={isShown}
        aria-controls={id}
        onClick={() => {
          setChoice(!isShown)
          if (!isShown) onOpen?.()
        }}
      >
        <Icon name={icon} />
        <span className="ck-row-title">{title}</span>
        {aside ? <span className="ck-row-aside">{aside}</span> : null}
        <Icon name="down" />
      </button>
      <div id={id} className="ck-disclosure-body" hidden={!isShown}>
        {isShown ? children : null}
      </div>
    </div>
  )
}
