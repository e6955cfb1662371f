import type { ChatMessage } from '../../model/chat-message.ts'
import { IconButton } from '../controls/icon-button.tsx'
import { useKit, useTexts } from '../kit/kit-context.ts'
import { useChatState } from '../kit/use-chat-kit.ts'
import { groupOf } from './message-groups.ts'

/** "2 / 3": which version of what follows the message above this one is shown. */
export function BranchPicker({ message }: { message: ChatMessage }) {
  const texts = useTexts()
  const { store } = useKit()
  const isIdle = useChatState(({ status, isActiveElsewhere }) => status === 'idle' && !isActiveElsewhere)
  /** An answer of several messages has its tools below the last one. */
  const first = useChatState(({ messages }) => groupOf(messages, message)[0]!)
  const point = useChatState(({ branches, messages }) => {
    const index = messages.indexOf(first)
    return index < 0 ? undefined : branches[messages[index - 1]?.messageID ?? '']
  })
  if (!point || point.versions.length < 2) return null
  const { active, versions } = point
  const select = (version: number) => store.selectBranch(first.messageID, version)
  return (
    <span className="ck-branches">
      <IconButton
        icon="down"
        className="ck-turn-start"
        label={texts.previous}
        disabled={!isIdle || active === 0}
        onClick={() => select(active - 1)}
      />
      <span>{texts.version(active + 1, versions.length)}</span>
      <IconButton
        icon="down"
        className="ck-turn-end"
        label={texts.next}
        disabled={!isIdle || active === versions.length - 1}
        onClick={() => select(active + 1)}
      />
    </span>
  )
}
