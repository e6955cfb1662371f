import { useRef, useState } from 'react'
import { useCopy } from '../../markdown/use-copy.ts'
import type { ChatMessage } from '../../model/chat-message.ts'
import { RoleType } from '../../model/role.ts'
import { clipboardHtml, clipboardText, writeBoth } from './clipboard.ts'
import { groupOf } from './message-groups.ts'
import { IconButton } from '../controls/icon-button.tsx'
import { useKit } from '../kit/kit-context.ts'
import { LazyBranchPicker, LazyFeedbackComment, LazyMemories, LazyStatistics } from '../kit/lazy-views.tsx'
import { useChatState } from '../kit/use-chat-kit.ts'

export type MessageToolsProps = { message: ChatMessage; isLast: boolean; onEdit?: () => void }

/** What can be done with a message, and what it cost. */
export function MessageTools({ message, isLast, onEdit }: MessageToolsProps) {
  const { store, options, isReadOnly } = useKit()
  const { texts, editable, showStatistics } = options
  const mayAsk = useChatState(({ status }) => status === 'idle') && !isReadOnly
  const isBranched = useChatState(({ branches }) => Object.keys(branches).length > 0)
  const hasMemories = useChatState(({ messages }) =>
    groupOf(messages, message).some(({ messageContext }) => messageContext?.memories),
  )
  const { isCopied, copy } = useCopy()
  const bar = useRef<HTMLDivElement>(null)
  const isUser = message.role.type === RoleType.User
  const isDone = message.status !== 'waiting' && message.status !== 'streaming'
  const copyAll = () => {
    const group = groupOf(store.getSnapshot().messages, message)
    const list = bar.current?.closest('.ck-list')
    const bodies = group.flatMap(({ messageID }) => [
      ...(list?.querySelectorAll(`[data-message="${CSS.escape(messageID)}"] .ck-body`) ?? []),
    ])
    const text = group.map(clipboardText).join('\n\n')
    copy(text, writeBoth(text, bodies.map(clipboardHtml).join('')))
  }
  if (!isDone) return null
  return (
    <div ref={bar} className="ck-tools">
      <IconButton icon={isCopied ? 'check' : 'copy'} label={isCopied ? texts.copied : texts.copy} onClick={copyAll} />
      {isUser && editable && mayAsk && onEdit ? <IconButton icon="edit" label={texts.edit} onClick={onEdit} /> : null}
      {!isUser && isLast && mayAsk ? (
        <IconButton
          icon="retry"
          label={texts.regenerate}
          onClick={() => void store.regenerate(message.messageID).catch(options.onError)}
        />
      ) : null}
      <FeedbackTools message={message} />
      {isBranched ? <LazyBranchPicker message={message} /> : null}
      {hasMemories ? <LazyMemories message={message} /> : null}
      {showStatistics ? <LazyStatistics message={message} /> : null}
    </div>
  )
}

/**
 * Two thumbs below an answer, where the back end takes them, and a comment, where it takes that too. The same thumb again
 * takes it back.
 */
export function FeedbackTools({ message }: { message: ChatMessage }) {
  const { store, options } = useKit()
  const { texts, components } = options
  const [rated, setRated] = useState('')
  const { adapter } = store
  // Where there is no answer, there is nothing to rate.
  if (message.role.type === RoleType.User || !adapter.feedback || message.content.length === 0) return null
  const given = message.messageContext?.feedback
  const Comment = components.FeedbackComment ?? LazyFeedbackComment
  const thumb = (value: 'like' | 'dislike') => (
    <IconButton
      icon={value}
      label={texts[value]}
      aria-pressed={given === value}
      onClick={() => {
        setRated(value)
        void store.sendFeedback(message.messageID, value === given ? null : value).catch(options.onError)
      }}
    />
  )
  return (
    <>
      {thumb('like')}
      {thumb('dislike')}
      {given && adapter.commentLength ? <Comment key={given} message={message} isAsked={rated === 'dislike'} /> : null}
    </>
  )
}
