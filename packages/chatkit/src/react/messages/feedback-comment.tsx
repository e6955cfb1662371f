import { useId, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react'
import { toChatKitError, type ChatKitError } from '../../model/chat-kit-error.ts'
import type { ChatStore } from '../../store/create-chat-store.ts'
import { useComposition } from '../composer/use-composition.ts'
import { activeIn } from '../controls/active-in.ts'
import { IconButton } from '../controls/icon-button.tsx'
import { part } from '../controls/part.ts'
import { useKit, type FeedbackCommentProps } from '../kit/kit-context.ts'
import { failureText } from '../texts/failure-text.ts'

/** From here on the length is shown. */
const SHOW_LENGTH_FROM = 0.8

/** What was typed and not sent, by message: a row that is scrolled out of sight is drawn anew later. */
const drafts = new WeakMap<ChatStore, Map<string, string>>()

type State = 'closed' | 'open' | 'saved'

/** A comment on an answer that has a thumb: a button, and below it a small form. */
export function FeedbackComment({ message, isAsked }: FeedbackCommentProps) {
  const { texts } = useKit().options
  const [state, setState] = useState<State>(isAsked ? 'open' : 'closed')
  const button = useRef<HTMLButtonElement>(null)
  const { feedback: value, feedbackComment } = message.messageContext ?? {}
  const close = (next: State) => {
    setState(next)
    button.current?.focus()
  }
  if (!value) return null
  return (
    <>
      <IconButton
        ref={button}
        icon="edit"
        label={feedbackComment ? texts.editComment : texts.addComment}
        aria-expanded={state === 'open'}
        onClick={() => setState(state === 'open' ? 'closed' : 'open')}
      />
      <span className="ck-comment-saved" role="status">
        {state === 'saved' ? texts.commentSaved : null}
      </span>
      {state === 'open' ? (
        <CommentForm
          messageID={message.messageID}
          value={value}
          known={feedbackComment ?? ''}
          onSkip={() => close('closed')}
          onSaved={() => close('saved')}
        />
      ) : null}
    </>
  )
}

type CommentFormProps = {
  messageID: string
  value: 'like' | 'dislike'
  /** What the back end has. */
  known: string
  onSkip: () => void
  onSaved: () => void
}

/** Enter sends, Escape closes; what was typed is kept until it has arrived. */
function CommentForm({ messageID, value, known, onSkip, onSaved }: CommentFormProps) {
  const { store, options } = useKit()
  const { texts } = options
  const unsent = unsentIn(store)
  const [draft, setDraft] = useState(unsent.get(messageID) ?? known)
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<ChatKitError>()
  const box = useRef<HTMLTextAreaElement>(null)
  const composition = useComposition()
  const hintID = useId()
  const text = draft.trim()
  const max = store.adapter.commentLength ?? 0
  const isTooLong = text.length > max
  const canSend = !isSending && !isTooLong && text !== known

  // Only from where it was asked for: whoever has gone on to write the next message meanwhile stays there.
  useLayoutEffect(() => {
    const element = box.current
    if (element?.closest('.ck-tools')?.contains(activeIn(element))) element.focus()
  }, [])

  const write = (next: string) => {
    setDraft(next)
    unsent.set(messageID, next)
  }
  const send = () => {
    if (!canSend) return
    setSending(true)
    setError(undefined)
    store.sendFeedback(messageID, value, text).then(
      () => {
        unsent.delete(messageID)
        onSaved()
      },
      (failure: unknown) => {
        setSending(false)
        setError(toChatKitError(failure))
        box.current?.focus()
      },
    )
  }
  const onEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || composition.isComposing(event)) return
    event.preventDefault()
    send()
  }
  const onEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || composition.isComposing(event)) return
    // What is around the kit may close itself by the same key.
    event.stopPropagation()
    onSkip()
  }

  const label = value === 'like' ? texts.whatWasGood : texts.whatWentWrong
  return (
    <form
      className="ck-comment"
      aria-label={label}
      {...part('feedback-comment')}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
      onKeyDown={onEscape}
    >
      <textarea
        ref={box}
        className="ck-input"
        dir="auto"
        rows={2}
        aria-label={label}
        aria-describedby={hintID}
        aria-invalid={isTooLong || undefined}
        placeholder={label}
        value={draft}
        readOnly={isSending}
        onChange={(event) => write(event.target.value)}
        onKeyDown={onEnter}
        {...composition.handlers}
      />
      <div className="ck-comment-actions">
        <p
          id={hintID}
          className="ck-hint"
          role={error ? 'alert' : undefined}
          data-error={error || isTooLong || undefined}
        >
          {error ? failureText(error, texts) : null}
          {text.length > max * SHOW_LENGTH_FROM ? <span> {texts.characters(text.length, max)}</span> : null}
        </p>
        <button type="button" className="ck-button ck-quiet" onClick={onSkip}>
          {texts.skip}
        </button>
        <button type="submit" className="ck-button ck-primary" disabled={!canSend}>
          {error ? texts.retry : texts.send}
        </button>
      </div>
    </form>
  )
}

function unsentIn(store: ChatStore): Map<string, string> {
  const own = drafts.get(store) ?? new Map<string, string>()
  drafts.set(store, own)
  return own
}
