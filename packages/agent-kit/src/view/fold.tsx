import { useId, useState, type ReactNode } from 'react'
import { joinClasses } from './join-classes.ts'

export type FoldProps = {
  title: ReactNode
  aside?: ReactNode
  /** Until the reader decides. */
  isOpen?: boolean
  className?: string
  children: ReactNode
}

/** A row that opens what is below it. */
export function Fold({ title, aside, isOpen = false, className, children }: FoldProps) {
  const [choice, setChoice] = useState<boolean>()
  const id = useId()
  const isShown = choice ?? isOpen
  return (
    <div className={joinClasses('ck-disclosure', className)}>
      <button
        type="button"
        className="ck-row-button"
        aria-expanded={isShown}
        aria-controls={id}
        onClick={() => setChoice(!isShown)}
      >
        <span className="ck-row-title">{title}</span>
        {aside ? <span className="ck-row-aside">{aside}</span> : null}
        <span className="ak-arrow" aria-hidden="true" />
      </button>
      <div id={id} className="ck-disclosure-body" hidden={!isShown}>
        {isShown ? children : null}
      </div>
    </div>
  )
}
