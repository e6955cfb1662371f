import { FeedbackTools, type ChatMessage } from '@parley/chatkit'
import { useState } from 'react'
import { useTurn } from './use-turn.ts'
import { useView } from './view-context.ts'

/** Below a message: copy its text, and thumbs for an answer. */
export function CopyTool({ message }: { message: ChatMessage }) {
  const { texts } = useView()
  const [isCopied, setCopied] = useState(false)
  const turn = useTurn(message.messageID)
  if (!turn || turn.status === 'streaming') return null
  const text = turn.blocks.map((block) => (block.type === 'text' ? block.content : '')).join('')
  if (text === '') return null
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    )
  }
  return (
    <div className="ck-tools">
      <button type="button" className="ck-button ck-quiet" onClick={copy}>
        {isCopied ? texts.copied : texts.copy}
      </button>
      <FeedbackTools message={message} />
    </div>
  )
}
