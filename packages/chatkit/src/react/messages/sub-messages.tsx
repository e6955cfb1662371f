import { useContext } from 'react'
import type { ChatMessage } from '../../model/chat-message.ts'
import { BodyContext } from './body-context.ts'

/** A sub-agent's turns: author and blocks, without tools of their own. */
export function SubMessages({ messages }: { messages: readonly ChatMessage[] }) {
  const Body = useContext(BodyContext)
  if (!Body) return null
  return messages.map((message) => (
    <div key={message.localID ?? message.messageID} className="ck-sub-message" data-role={message.role.type}>
      <p className="ck-sub-author">{message.role.name}</p>
      <Body message={message} />
    </div>
  ))
}
