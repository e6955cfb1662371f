import { useRef } from 'react'
import { useCopy } from '../../markdown/use-copy.ts'
import type { ChatMessage } from '../../model/chat-message.ts'
import { RoleType } from '../../model/role.ts'
import { clipboardHtml, clipboardText } from './clipboard.ts'
import { groupOf } from './message-groups.ts'
import { Icon } from '../controls/icon.tsx'
import { IconButton } from '../controls/icon-button.tsx'
import { useKit, useTexts } from '../kit/kit-context.ts'
import { LazyBranchPicker, LazyStatistics } from '../kit/lazy-views.tsx'
import { useChatState } from '../kit/use-chat-kit.ts'

export type MessageToolsProps = { message: ChatMessage; isLast: boolean; onEdit?: () => void }

/** What can be done with a message, and what it cost. */
export function MessageTools({ message, isLast, onEdit }: MessageToolsProps) {
  const { store, options } = useKit()
  const { texts, editable, showStatistics } = options
  const isIdle = useChatState(({ status }) => status === 'idle')
  const isBranched = useChatState(({ branches }) => Object.keys(branches).length > 0)
  const { isCopied, copy } = useCopy()
  const bar = useRef<HTMLDivElement>(null)
  const isUser = message.role.type === RoleType.User
  const canReplace = !store.adapter.hasFixedHistory
  const isDone = message.status !== 'waiting' && message.status !== 'streaming'
  const copyAll = () => {
    const group = groupOf(store.getSnapshot().messages, message)
    const list = bar.current?.closest('.ck-list')
    const bodies = group.flatMap(({ messageID }) => [
      ...(list?.querySelectorAll(`[data-message="${CSS.escape(messageID)}"] .ck-body`) ?? []),
    ])
    copy(group.map(clipboardText).join('\n\n'), bodies.map(clipboardHtml).join('') || undefined)
  }
  if (!isDone) return null
  return (
    <div ref={bar} className="ck-tools">
      <IconButton icon={isCopied ? 'check' : 'copy'} label={isCopied ? texts.copied : texts.copy} onClick={copyAll} />
      {isUser && editable && canReplace && isIdle && onEdit ? (
        <IconButton icon="edit" label={texts.edit} onClick={onEdit} />
      ) : null}
      {!isUser && isLast && canReplace && isIdle ? (
        <IconButton
          icon="retry"
          label={texts.regenerate}
          onClick={() => void store.regenerate(message.messageID).catch(options.onError)}
        />
      ) : null}
      <FeedbackTools message={message} />
      {isBranched ? <LazyBranchPicker message={message} /> : null}
      <Memories message={message} />
      {showStatistics ? <LazyStatistics message={message} /> : null}
    </div>
  )
}

/** Two thumbs below an answer, where the back end takes them. The same thumb again takes it back. */
export function FeedbackTools({ message }: { message: ChatMessage }) {
  const { store, options } = useKit()
  const { texts } = options
  if (message.role.type === RoleType.User || !store.adapter.feedback) return null
  const given = message.messageContext?.feedback
  const rate = (value: 'like' | 'dislike') =>
    void store.sendFeedback(message.messageID, value === given ? null : value).catch(options.onError)
  return (
    <>
      <IconButton icon="like" label={texts.like} aria-pressed={given === 'like'} onClick={() => rate('like')} />
      <IconButton
        icon="dislike"
        label={texts.dislike}
        aria-pressed={given === 'dislike'}
        onClick={() => rate('dislike')}
      />
    </>
  )
}

/** What the assistant remembered for this answer, behind a chip. */
function Memories({ message }: { message: ChatMessage }) {
  const texts = useTexts()
  const memories = useChatState(({ messages }) => {
    const used = groupOf(messages, message).map(({ messageContext }) => messageContext?.memories)
    return used.findLast((list) => list !== undefined)
  })
  if (!memories || memories.length === 0) return null
  return (
    <details className="ck-memories">
      <summary className="ck-chip">
        <Icon name="thought" />
        {texts.memories(memories.length)}
      </summary>
      <ul>
        {memories.map(({ id, title }) => (
          <li key={id} dir="auto">
            {title}
          </li>
        ))}
      </ul>
    </details>
  )
}
