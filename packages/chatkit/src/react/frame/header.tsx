import { useState, type KeyboardEvent, type ReactNode } from 'react'
import { LazyHistory } from '../kit/lazy-views.tsx'
import { IconButton } from '../controls/icon-button.tsx'
import { joinClasses } from '../controls/join-classes.ts'
import { useKit } from '../kit/kit-context.ts'
import { part } from '../controls/part.ts'

export type HeaderProps = {
  title: string
  hasHistory: boolean
  /** Instead of the list in the header. */
  onHistory?: (() => void) | undefined
  isHistoryOpen?: boolean | undefined
  onClose?: (() => void) | undefined
  /** The host's own tools, at the start. */
  tools?: ReactNode
}

/** Title, new conversation, history, close. */
export function Header({ title, hasHistory, onHistory, isHistoryOpen, onClose, tools }: HeaderProps) {
  const { store, options } = useKit()
  const { texts } = options
  const [isListed, setListed] = useState(false)
  const isOpen = onHistory ? isHistoryOpen : isListed
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isListed) return
    event.stopPropagation()
    setListed(false)
  }
  return (
    <div {...part('header')} className={joinClasses('ck-header', options.classNames.header)} onKeyDown={onKeyDown}>
      {tools}
      <h2 className="ck-title" {...part('title')}>
        {title}
      </h2>
      <IconButton icon="plus" label={texts.newConversation} onClick={() => void store.createConversation()} />
      {hasHistory ? (
        <IconButton
          icon="history"
          label={texts.history}
          aria-expanded={isOpen}
          onClick={onHistory ?? (() => setListed(!isListed))}
        />
      ) : null}
      {onClose ? <IconButton icon="close" label={texts.close} onClick={onClose} /> : null}
      {isListed && !onHistory ? <LazyHistory className="ck-history-list" onChosen={() => setListed(false)} /> : null}
    </div>
  )
}
