import type { BlockProps, UiCardBlock } from '@parley/chatkit'
import { PlainBlock } from './plain-block.tsx'
import { useView } from './view-context.ts'
import type { PreviewCard } from './chat-view-props.ts'

/** A tool's card: in the conversation, or behind a row that opens it at the side. */
export function CardBlock(props: BlockProps) {
  const { preview, texts } = useView()
  const { target, ...card } = (props.block as UiCardBlock).content
  if (target === 'inline') return <PlainBlock {...props} />
  const toolCallId = props.block.key?.split(':')[1] ?? ''
  return (
    <button type="button" className="ck-row-button" onClick={() => preview({ toolCallId, ...card })}>
      <span className="ck-row-title">{card.title ?? texts.card}</span>
    </button>
  )
}

const MESSAGE = { messageID: 'preview', role: { name: '', type: 'Assistant', avatar: '' }, content: [] } as const

/** The card that was opened, beside the conversation. */
export function PreviewPanel({ card, onClose }: { card: PreviewCard; onClose: () => void }) {
  const { texts } = useView()
  const { toolCallId, title = texts.card, ...content } = card
  const block = { type: 'UiCard', key: toolCallId, content: { ...content, title, target: 'inline' } }
  return (
    <aside className="ak-preview" aria-label={title}>
      <header className="ak-preview-head">
        <h2>{title}</h2>
        <button type="button" className="ck-button" onClick={onClose}>
          {texts.close}
        </button>
      </header>
      <PlainBlock block={block} message={{ ...MESSAGE, content: [] }} isStreaming={false} />
    </aside>
  )
}
