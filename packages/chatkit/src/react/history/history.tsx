import { forwardRef, useEffect, useState, type ComponentPropsWithoutRef } from 'react'
import { formatAge } from './format-age.ts'
import { IconButton } from '../controls/icon-button.tsx'
import { joinClasses } from '../controls/join-classes.ts'
import { useKit, useTexts } from '../kit/kit-context.ts'
import { part } from '../controls/part.ts'
import { useChatState } from '../kit/use-chat-kit.ts'

const PAGE_SIZE = 20

export type HistoryProps = Omit<ComponentPropsWithoutRef<'nav'>, 'children'> & { onChosen?: () => void }

/** The user's conversations, newest first. Read again whenever it is opened. */
export const History = forwardRef<HTMLElement, HistoryProps>(function History({ onChosen, className, ...props }, ref) {
  const texts = useTexts()
  const { store, options } = useKit()
  const { status, items, hasMore } = useChatState((state) => state.history)
  const current = useChatState((state) => state.conversationID)
  const load = (page: number) => void store.getConversations(page, PAGE_SIZE).catch(() => {}) // The state says it.
  useEffect(() => {
    void store.getConversations(1, PAGE_SIZE).catch(() => {})
  }, [store])
  const open = (id: string) => {
    void store.loadConversation(id).catch(() => {}) // The state says it.
    onChosen?.()
  }
  return (
    <nav
      ref={ref}
      {...part('history')}
      className={joinClasses('ck-history', options.classNames.history, className)}
      aria-label={texts.history}
      {...props}
    >
      {status === 'failed' ? (
        <p className="ck-error">
          {texts.historyFailed}
          <button type="button" className="ck-button" onClick={() => load(1)}>
            {texts.retry}
          </button>
        </p>
      ) : null}
      {status === 'loading' && items.length === 0 ? <p className="ck-muted">{texts.loading}</p> : null}
      {status === 'ready' && items.length === 0 ? <p className="ck-muted">{texts.noConversations}</p> : null}
      <ul>
        {items.map((item) => (
          <HistoryRow
            key={item.conversationID}
            id={item.conversationID}
            title={item.title || texts.untitled}
            time={item.updated_at}
            isCurrent={item.conversationID === current}
            onOpen={open}
          />
        ))}
      </ul>
      {hasMore ? (
        <button
          type="button"
          className="ck-button ck-quiet"
          onClick={() => load(Math.floor(items.length / PAGE_SIZE) + 1)}
        >
          {texts.more}
        </button>
      ) : null}
    </nav>
  )
})

type RowProps = { id: string; title: string; time: number; isCurrent: boolean; onOpen: (id: string) => void }

function HistoryRow({ id, title, time, isCurrent, onOpen }: RowProps) {
  const { store, options } = useKit()
  const { texts } = options
  const [isAsked, setAsked] = useState(false)
  const remove = (row: Element | null) => {
    // The focus goes to the neighbour, not to nowhere.
    const neighbour = row?.nextElementSibling ?? row?.previousElementSibling
    neighbour?.querySelector('button')?.focus()
    void store.deleteConversation(id).catch(options.onError)
  }
  return (
    <li className="ck-history-row" data-current={isCurrent || undefined}>
      {isAsked ? (
        <>
          <span className="ck-row-title">{texts.deleteQuestion}</span>
          <button type="button" className="ck-button" onClick={(event) => remove(event.currentTarget.closest('li'))}>
            {texts.delete}
          </button>
          <button
            type="button"
            className="ck-button"
            ref={(element) => element?.focus()}
            onClick={() => setAsked(false)}
          >
            {texts.cancel}
          </button>
        </>
      ) : (
        <>
          <button
            type="button"
            className="ck-history-open"
            aria-current={isCurrent ? 'true' : undefined}
            onClick={() => onOpen(id)}
          >
            <span className="ck-row-title">{title}</span>
            <span className="ck-muted">{formatAge(time, Date.now(), options)}</span>
          </button>
          <IconButton icon="delete" label={`${texts.delete}: ${title}`} onClick={() => setAsked(true)} />
        </>
      )}
    </li>
  )
}
