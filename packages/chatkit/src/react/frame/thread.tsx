import { forwardRef, type ComponentPropsWithoutRef, type ReactNode } from 'react'
import { Composer } from '../composer/composer.tsx'
import { failureText } from '../texts/failure-text.ts'
import { Icon } from '../controls/icon.tsx'
import { IconButton } from '../controls/icon-button.tsx'
import { joinClasses } from '../controls/join-classes.ts'
import { useKit, useTexts } from '../kit/kit-context.ts'
import { MessageList } from '../messages/message-list.tsx'
import { Onboarding } from './onboarding.tsx'
import { part } from '../controls/part.ts'
import { useChatState } from '../kit/use-chat-kit.ts'

export type ThreadProps = Omit<ComponentPropsWithoutRef<'div'>, 'children'> & {
  /** Below the composer, of the host's own. */
  afterComposer?: ReactNode
}

/** Message area and input area. */
export const Thread = forwardRef<HTMLDivElement, ThreadProps>(function Thread(
  { afterComposer, className, ...props },
  ref,
) {
  const { components } = useKit().options
  const isEmpty = useChatState(({ messages }) => messages.length === 0)
  const Opening = components.Onboarding ?? Onboarding
  return (
    <div ref={ref} className={joinClasses('ck-thread', className)} {...props}>
      <Banner />
      {isEmpty ? <Opening /> : <MessageList />}
      <Queue />
      <Composer />
      {afterComposer}
    </div>
  )
})

/** What is wrong with the conversation as a whole. */
function Banner() {
  const texts = useTexts()
  const error = useChatState((state) => state.conversationError)
  const isReconnecting = useChatState(({ connection }) => connection === 'reconnecting')
  if (isReconnecting)
    return (
      <p className="ck-banner" role="status" {...part('banner')}>
        {texts.reconnecting}
      </p>
    )
  if (!error) return null
  return (
    <p className="ck-banner ck-error" role="alert" {...part('banner error')}>
      <Icon name="warning" />
      {failureText(error, texts)}
    </p>
  )
}

/** Messages that wait for the answer under way. */
function Queue() {
  const { store, options } = useKit()
  const queue = useChatState((state) => state.queue)
  if (queue.length === 0) return null
  return (
    <ul className="ck-queue" aria-label={options.texts.queued}>
      {queue.map(({ id, text }) => (
        <li key={id}>
          <span className="ck-row-title">{text}</span>
          <IconButton icon="close" label={`${options.texts.delete}: ${text}`} onClick={() => store.removeQueued(id)} />
        </li>
      ))}
    </ul>
  )
}
