import { useMemo, type MouseEvent, type ReactNode } from 'react'
import { useMarkdownOptions, type MarkdownOptions } from '../../markdown/markdown-options.ts'
import type { ChatMessage } from '../../model/chat-message.ts'
import type { SourcesBlock } from '../../model/display-blocks.ts'
import { useTexts } from '../kit/kit-context.ts'
import { useChatState } from '../kit/use-chat-kit.ts'

/** Where a number in an answer leads. */
export const sourceID = (message: ChatMessage, position: number): string =>
  `ck-source-${message.localID ?? message.messageID}-${position}`

/** The options for an answer's text: `[1]` in it is a link, if the answer has a source 1. */
export function useCitations(message: ChatMessage): MarkdownOptions {
  const options = useMarkdownOptions()
  // The sources come after the text they belong to, when the text is no longer drawn again.
  const positions = useChatState(({ messages }) => positionsOf(messages.findLast(isSame(message)) ?? message))
  return useMemo(() => {
    if (positions === '') return options
    const known = new Set(positions.split(' '))
    return { ...options, renderText: (text: string) => cite(text, known, message) }
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- of the message only its id is used
  }, [options, positions, message.localID, message.messageID])
}

const isSame = (one: ChatMessage) => (other: ChatMessage) => one.messageID === other.messageID

/** As text, so that the same positions are the same value. */
function positionsOf({ content }: ChatMessage): string {
  const sources = content.find((block): block is SourcesBlock => block.type === 'Sources')?.content ?? []
  return sources.map(({ position }, i) => position ?? i + 1).join(' ')
}

function cite(text: string, known: ReadonlySet<string>, message: ChatMessage): ReactNode {
  const parts = text.split(/\[(\d{1,3})\]/)
  if (parts.length === 1) return text
  return parts.map((part, i) => {
    if (i % 2 === 0) return part
    // oxlint-disable-next-line react/no-array-index-key -- pieces of a text have no other identity
    return known.has(part) ? <Citation key={i} number={part} id={sourceID(message, Number(part))} /> : `[${part}]`
  })
}

/** The page's address stays: hosts route by it. */
function Citation({ number, id }: { number: string; id: string }) {
  const texts = useTexts()
  const jump = (event: MouseEvent) => {
    event.preventDefault()
    const root = event.currentTarget.getRootNode() as Document | ShadowRoot
    const list = event.currentTarget.closest('.ck-message')?.querySelector<HTMLElement>('.ck-sources button')
    // Behind a closed row there is nothing to go to.
    const target = root.getElementById(id) ?? list
    target?.scrollIntoView({ block: 'nearest' })
    target?.focus()
  }
  return (
    <a className="ck-link ck-citation" href={`#${id}`} aria-label={texts.source(number)} onClick={jump}>
      [{number}]
    </a>
  )
}
