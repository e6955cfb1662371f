import { RoleType, type BlockProps, type ChatMessage as KitMessage } from '@parley/chatkit'
import type { ComponentType } from 'react'
import type { ChatMessage } from '../messages/chat-message.ts'
import { messagesOfTurn } from '../messages/turn-messages.ts'
import { Blocks } from './call-block.tsx'
import type { AssistantTurnProps } from './chat-view-props.ts'
import type { TurnBlock } from './display-messages.ts'
import { useAnswerProps, useTurn } from './use-turn.ts'
import { useView } from './view-context.ts'

/** A whole message that the page draws. */
export function TurnBlockView({ block }: BlockProps<TurnBlock>) {
  const { message } = block.content
  const { components } = useView()
  const turn = useTurn(message.messageID)
  const shown = (turn && messagesOfTurn(turn)[0]) ?? unsent(message)
  const isUser = message.role.type === RoleType.User
  const { UserMessage, AssistantTurn } = components
  const own = <Blocks message={message} />
  return (
    <div className="ak-turn">
      {isUser && UserMessage ? <UserMessage message={shown}>{own}</UserMessage> : null}
      {!isUser && AssistantTurn ? (
        <ReplacedTurn AssistantTurn={AssistantTurn} message={shown}>
          {own}
        </ReplacedTurn>
      ) : null}
      {(isUser ? UserMessage : AssistantTurn) ? null : own}
    </div>
  )
}

function ReplacedTurn({
  AssistantTurn,
  ...props
}: Pick<AssistantTurnProps, 'message' | 'children'> & { AssistantTurn: ComponentType<AssistantTurnProps> }) {
  return <AssistantTurn {...useAnswerProps()} {...props} />
}

/** On its way to the server, or the place of an answer that has not begun. */
function unsent(message: KitMessage): ChatMessage {
  const isText = ({ type }: { type: string }) => type === 'Text' || type === 'Markdown'
  const content = message.content
    .filter(isText)
    .map((block) => String(block.content))
    .join('')
  const role = message.role.type === RoleType.User ? 'user' : 'assistant'
  return { role, content, status: message.status === 'failed' ? 'failed' : 'streaming' }
}
