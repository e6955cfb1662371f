import { useContext } from 'react'
import type { ChatMessage } from '../../model/chat-message.ts'
import { BodyContext } from './body-context.ts'
import { joinSteps } from './join-steps.ts'

/** A sub-agent's turns: what was asked of it, and its blocks, without tools of their own. */
export function SubMessages({ messages }: { messages: readonly ChatMessage[] }) {
  const Body = useContext(BodyContext)
  if (!Body) return null
  const joined = joinSteps(messages)
  return messages.map((message) => (
    <div key={message.localID ?? message.messageID} className="ck-sub-message" data-role={message.role.type}>
      <Body message={message} joined={joined.get(message.messageID)} />
    </div>
  ))
}
