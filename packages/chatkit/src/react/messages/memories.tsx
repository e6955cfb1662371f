import type { ChatMessage } from '../../model/chat-message.ts'
import { Icon } from '../controls/icon.tsx'
import { useTexts } from '../kit/kit-context.ts'
import { useChatState } from '../kit/use-chat-kit.ts'
import { groupOf } from './message-groups.ts'

/** What the assistant remembered for this answer, behind a chip. */
export function Memories({ message }: { message: ChatMessage }) {
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
