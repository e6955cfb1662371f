import { forwardRef, memo, useMemo, useState, type ComponentPropsWithoutRef } from 'react'
import type { ChatKitError } from '../../model/chat-kit-error.ts'
import type { ChatMessage } from '../../model/chat-message.ts'
import { RoleType } from '../../model/role.ts'
import { textOfMessage } from '../../model/text-of-message.ts'
import { Avatar } from './avatar.tsx'
import { LazyEditForm } from '../kit/lazy-views.tsx'
import { failureText } from '../texts/failure-text.ts'
import { formatClock } from '../texts/format.ts'
import { Icon } from '../controls/icon.tsx'
import { joinClasses } from '../controls/join-classes.ts'
import { useKit, useTexts } from '../kit/kit-context.ts'
import type { Joined } from './join-steps.ts'
import { MessageBody } from './message-body.tsx'
import { MessageTools } from './message-tools.tsx'
import { part } from '../controls/part.ts'

export type MessageProps = Omit<ComponentPropsWithoutRef<'article'>, 'children'> & {
  message: ChatMessage
  isLast?: boolean
  /** The message before it belongs to the same answer: the author is not named again. */
  isContinued?: boolean
  /** So does the next one, which has the tools. */
  isContinuing?: boolean
  /** What of it stands with the messages around it. */
  joined?: Joined | undefined
}

/** One message: author, blocks, what went wrong, and what can be done with it. */
export const Message = memo(
  forwardRef<HTMLElement, MessageProps>(function Message(
    { message, isLast = false, isContinued = false, isContinuing = false, joined, className, ...props },
    ref,
  ) {
    const { locale, components, classNames, showAuthors, ownMessages } = useKit().options
    const texts = useTexts()
    const [isEditing, setEditing] = useState(false)
    const isUser = message.role.type === RoleType.User
    const Tools = components.MessageTools ?? MessageTools
    const { createdAt } = message
    // Making a formatter costs more than the rest of a frame's drawing here.
    const time = useMemo(() => (createdAt === undefined ? '' : formatClock(createdAt, locale)), [createdAt, locale])
    return (
      <article
        ref={ref}
        {...part(isUser ? 'message user-message' : 'message assistant-message')}
        className={joinClasses(
          'ck-message',
          classNames.message,
          isUser ? classNames.userMessage : classNames.assistantMessage,
          className,
        )}
        data-message={message.messageID}
        data-role={message.role.type}
        data-status={message.status}
        data-plain={!showAuthors || undefined}
        data-side={isUser && ownMessages === 'end' ? 'end' : undefined}
        aria-label={[message.role.name, time].filter(Boolean).join(', ')}
        tabIndex={-1}
        {...props}
      >
        <h3 className="ck-hidden">{[message.role.name, time].filter(Boolean).join(', ')}</h3>
        {!showAuthors ? null : isContinued ? (
          <span className="ck-avatar-space" />
        ) : (
          <Avatar name={message.role.name} avatar={message.role.avatar} isUser={isUser} />
        )}
        <div className="ck-message-main">
          {isContinued || !showAuthors ? null : (
            <p className="ck-author" aria-hidden="true">
              {message.role.name} <time>{time}</time>
            </p>
          )}
          {isUser && message.applicationContext ? (
            <p className="ck-message-context">{message.applicationContext.title}</p>
          ) : null}
          {isEditing ? (
            <LazyEditForm
              messageID={message.messageID}
              text={textOfMessage(message)}
              onDone={() => setEditing(false)}
            />
          ) : (
            <div className="ck-body">
              {message.status === 'waiting' && message.content.length === 0 ? (
                <Waiting />
              ) : (
                <MessageBody message={message} joined={joined} />
              )}
            </div>
          )}
          {message.status === 'stopped' || message.status === 'interrupted' ? (
            <p className="ck-muted ck-stopped">
              {message.status === 'stopped' ? texts.answerStopped : texts.answerInterrupted}
            </p>
          ) : null}
          {message.error ? <Failure error={message.error} messageID={message.messageID} isLast={isLast} /> : null}
          {isContinuing ? null : (
            <Tools message={message} isLast={isLast} {...(isUser && { onEdit: () => setEditing(true) })} />
          )}
        </div>
      </article>
    )
  }),
)

/** Something is on its way. */
export function Waiting() {
  return (
    <p className="ck-waiting">
      <span className="ck-hidden">{useTexts().waiting}</span>
      <span className="ck-dot" />
      <span className="ck-dot" />
      <span className="ck-dot" />
    </p>
  )
}

/** What went wrong, and a way to try again. */
function Failure({ error, messageID, isLast }: { error: ChatKitError; messageID: string; isLast: boolean }) {
  const { store, options, isReadOnly } = useKit()
  const { texts } = options
  const details = [error.platformCode, error.requestID, error.status].filter((part) => part !== undefined).join(' · ')
  return (
    <div className="ck-error" {...part('error')}>
      <p>
        <Icon name="warning" />
        {failureText(error, texts)}
      </p>
      {details ? <p className="ck-muted">{details}</p> : null}
      {error.retryable && isLast && !isReadOnly ? (
        <button type="button" className="ck-button" onClick={() => void store.regenerate(messageID).catch(() => {})}>
          <Icon name="retry" />
          {texts.retry}
        </button>
      ) : null}
    </div>
  )
}
