import { joinClasses, useChatState, type BlockProps } from '@parley/chatkit'
import type { FailureBlock } from './display-messages.ts'
import { useTurn } from './use-turn.ts'
import { useView } from './view-context.ts'

/** That an answer failed, why as far as it is known, and a way to try again. */
export function FailureBlockView({ block, message }: BlockProps<FailureBlock>) {
  const { store, texts, classNames } = useView()
  const { messageID } = message
  const turn = useTurn(messageID)
  const isLast = useChatState(({ messages, status }) => status === 'idle' && messages.at(-1)?.messageID === messageID)
  const { error } = block.content
  const details = error?.platformCode ?? turn?.failure_reason
  return (
    <div className={joinClasses('ck-error ak-failure', classNames.errorMessage)} role="note">
      <p>{error?.userMessage ?? texts.failed}</p>
      {details ? <p className="ck-muted">{details}</p> : null}
      {isLast && error?.retryable ? (
        <button
          type="button"
          className="ck-button"
          onClick={() => void store.regenerate(messageID).catch(() => {})} // The list shows it.
        >
          {texts.retry}
        </button>
      ) : null}
    </div>
  )
}
