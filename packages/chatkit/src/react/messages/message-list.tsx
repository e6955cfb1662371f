import {
  forwardRef,
  memo,
  useContext,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ComponentPropsWithoutRef,
  type KeyboardEvent,
} from 'react'
import type { ChatMessage } from '../../model/chat-message.ts'
import { isUserMessage } from './clipboard.ts'
import { Icon } from '../controls/icon.tsx'
import { joinClasses } from '../controls/join-classes.ts'
import { AfterMessageContext, useKit } from '../kit/kit-context.ts'
import { joinSteps, type Joined } from './join-steps.ts'
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
  const { texts, classNames, showAuthors } = useKit().options
  const messages = useChatState((state) => state.messages)
  const scroller = useRef<HTMLDivElement>(null)
  useImperativeHandle(ref, () => scroller.current!, [])
  const keys = messages.map(keyOf)
  const joined = useJoinedSteps(messages)
  const { start, end, before, after, isWindowed, isFollowing, observer, ...list } = useMessageWindow(keys, scroller)
  useFollowOwnMessages(messages, list.followEnd)
  const unseen = useUnseen(messages.length, isFollowing)
  const onKeyDown = useListKeys(keys, scroller, {
    scrollToRow: list.scrollToRow,
    isEmpty: (i) =>
      isSameGroup(messages[i], messages[i + 1]) && isElsewhere(messages[i]!, joined.get(messages[i]!.messageID)),
  })
  return (
    <div className="ck-list-frame">
      <div
        ref={scroller}
        {...part('list')}
        className={joinClasses('ck-list', classNames.list, className)}
        role="log"
        aria-live="off"
        aria-label={texts.conversation}
        data-plain={!showAuthors || undefined}
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
            joined={joined.get(message.messageID)}
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
  joined: Joined | undefined
  observer: ResizeObserver | undefined
}

const Row = memo(function Row({ message, isLast, isContinued, isContinuing, joined, observer }: RowProps) {
  const row = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = row.current
    if (!element || !observer) return
    observer.observe(element)
    return () => observer.unobserve(element)
  }, [observer])
  return (
    <div ref={row} className="ck-row" data-row={keyOf(message)} data-continuing={isContinuing || undefined}>
      {isContinuing && isElsewhere(message, joined) ? null : (
        <Message {...{ message, isLast, isContinued, isContinuing, joined }} />
      )}
      <AfterMessage message={message} />
      {isLast && (message.status === 'completed' || message.status === 'interrupted') ? <BetweenTurns /> : null}
      {isLast && !isUserMessage(message) ? <RelatedQuestions message={message} /> : null}
    </div>
  )
})

function AfterMessage({ message }: { message: ChatMessage }) {
  return useContext(AfterMessageContext)?.(message)
}

/** All that it says stands with the steps of a message before it. */
const isElsewhere = ({ content, status, error }: ChatMessage, joined: Joined | undefined): boolean =>
  joined?.skipped === content.length && !error && status !== 'stopped' && status !== 'interrupted'

/** The same objects from one drawing to the next, as far as they hold. */
function useJoinedSteps(messages: readonly ChatMessage[]): ReadonlyMap<string, Joined> {
  const last = useRef<ReadonlyMap<string, Joined>>(undefined)
  return useMemo(() => (last.current = joinSteps(messages, last.current)), [messages])
}

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
  { scrollToRow, isEmpty }: { scrollToRow: (index: number) => void; isEmpty: (index: number) => boolean },
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
    const rows = [...keys.keys()].filter((row) => !isEmpty(row))
    const [first, last] = [rows[0], rows.at(-1)]
    const index = {
      ArrowUp: rows.findLast((row) => row < from) ?? first,
      ArrowDown: rows.find((row) => row > from) ?? last,
      Home: first,
      End: last,
    }[event.key]
    if (index === undefined) return
    event.preventDefault()
    wanted.current = keys[index]
    focusRow()
    if (wanted.current !== undefined) scrollToRow(index)
  }
}
