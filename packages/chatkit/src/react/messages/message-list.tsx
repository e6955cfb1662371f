import {
  forwardRef,
  memo,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  type ComponentPropsWithoutRef,
  type KeyboardEvent,
} from 'react'
import type { ChatMessage } from '../../model/chat-message.ts'
import { isUserMessage } from './clipboard.ts'
import { Icon } from '../controls/icon.tsx'
import { joinClasses } from '../controls/join-classes.ts'
import { useKit } from '../kit/kit-context.ts'
import { isSameGroup } from './message-groups.ts'
import { Message, Waiting } from './message.tsx'
import { RelatedQuestions } from '../frame/onboarding.tsx'
import { part } from '../controls/part.ts'
import { useChatState } from '../kit/use-chat-kit.ts'
import { useMessageWindow } from './use-message-window.ts'

export type MessageListProps = Omit<ComponentPropsWithoutRef<'div'>, 'children'>

const keyOf = (message: ChatMessage): string => message.localID ?? message.messageID

/** The conversation. Stays where its reader is, follows the end only for a reader who is there. */
export const MessageList = forwardRef<HTMLDivElement, MessageListProps>(function MessageList(
  { className, ...props },
  ref,
) {
  const { texts, classNames } = useKit().options
  const messages = useChatState((state) => state.messages)
  const scroller = useRef<HTMLDivElement>(null)
  useImperativeHandle(ref, () => scroller.current!, [])
  const keys = messages.map(keyOf)
  const { start, end, before, after, isWindowed, isFollowing, observer, ...list } = useMessageWindow(keys, scroller)
  useFollowOwnMessages(messages, list.followEnd)
  const unseen = useUnseen(messages.length, isFollowing)
  const onKeyDown = useListKeys(keys, scroller, list.scrollToRow)
  return (
    <div className="ck-list-frame">
      <div
        ref={scroller}
        {...part('list')}
        className={joinClasses('ck-list', classNames.list, className)}
        role="log"
        aria-live="off"
        aria-label={texts.conversation}
        tabIndex={0}
        onKeyDown={onKeyDown}
        {...props}
      >
        {isWindowed ? (
          <button type="button" className="ck-button ck-quiet ck-show-all" onClick={list.showAll}>
            {texts.showAll}
          </button>
        ) : null}
        <div className="ck-space" style={{ height: before }} />
        {messages.slice(start, end).map((message, i) => (
          <Row
            key={keyOf(message)}
            message={message}
            isLast={start + i === messages.length - 1}
            isContinued={isSameGroup(messages[start + i - 1], message)}
            isContinuing={isSameGroup(message, messages[start + i + 1])}
            observer={observer}
          />
        ))}
        <div className="ck-space" style={{ height: after }} />
      </div>
      {isFollowing ? null : (
        <button type="button" className="ck-button ck-to-latest" onClick={list.followEnd}>
          <Icon name="down" />
          {texts.toLatest}
          {unseen > 0 ? <span className="ck-badge">{texts.newMessages(unseen)}</span> : null}
        </button>
      )}
    </div>
  )
})

type RowProps = {
  message: ChatMessage
  isLast: boolean
  isContinued: boolean
  isContinuing: boolean
  observer: ResizeObserver | undefined
}

const Row = memo(function Row({ message, isLast, isContinued, isContinuing, observer }: RowProps) {
  const row = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = row.current
    if (!element || !observer) return
    observer.observe(element)
    return () => observer.unobserve(element)
  }, [observer])
  return (
    <div ref={row} className="ck-row" data-row={keyOf(message)}>
      <Message message={message} isLast={isLast} isContinued={isContinued} isContinuing={isContinuing} />
      {isLast && (message.status === 'completed' || message.status === 'interrupted') ? <BetweenTurns /> : null}
      {isLast && !isUserMessage(message) ? <RelatedQuestions message={message} /> : null}
    </div>
  )
})

/** An answer of several messages goes on, and the next one has not begun. */
function BetweenTurns() {
  return useChatState(({ run, isActiveElsewhere }) => run !== null || isActiveElsewhere) ? <Waiting /> : null
}

/** Sending brings the reader back to the end, and so does another conversation. */
function useFollowOwnMessages(messages: readonly ChatMessage[], followEnd: () => void): void {
  const known = useRef<readonly ChatMessage[]>([])
  useLayoutEffect(() => {
    const old = known.current
    known.current = messages
    const ids = new Set(old.slice(-50).map(keyOf))
    const isOther = old.length > 0 && messages.length > 0 && !messages.some((message) => ids.has(keyOf(message)))
    const sent =
      messages.length > old.length &&
      messages.slice(-2).some((message) => isUserMessage(message) && !ids.has(keyOf(message)))
    if (isOther || sent) followEnd()
  }, [messages, followEnd])
}

function useUnseen(count: number, isFollowing: boolean): number {
  const [seen, setSeen] = useState(count)
  useEffect(() => {
    if (isFollowing) setSeen(count)
  }, [count, isFollowing])
  return Math.max(0, count - seen)
}

/** Up and Down move between messages, Home and End to the ends. */
function useListKeys(
  keys: readonly string[],
  scroller: { current: HTMLElement | null },
  scrollToRow: (index: number) => void,
) {
  const wanted = useRef<string>(undefined)
  const focusRow = () => {
    const key = wanted.current
    const row =
      key === undefined ? null : scroller.current?.querySelector(`[data-row="${CSS.escape(key)}"] .ck-message`)
    if (!(row instanceof HTMLElement)) return
    wanted.current = undefined
    row.focus()
  }
  useEffect(focusRow)
  return (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target as HTMLElement
    const isHere = target === event.currentTarget || target.classList.contains('ck-message')
    if (!isHere || event.altKey || event.ctrlKey || event.metaKey || keys.length === 0) return
    const current = keys.indexOf(target.closest<HTMLElement>('[data-row]')?.dataset.row ?? '')
    const from = current < 0 ? keys.length : current
    const index = {
      ArrowUp: Math.max(0, from - 1),
      ArrowDown: Math.min(keys.length - 1, from + 1),
      Home: 0,
      End: keys.length - 1,
    }[event.key]
    if (index === undefined) return
    event.preventDefault()
    wanted.current = keys[index]
    focusRow()
    if (wanted.current !== undefined) scrollToRow(index)
  }
}
