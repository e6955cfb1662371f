import { useMemo, type ReactNode, type SyntheticEvent } from 'react'
import { useMarkdownOptions, type MarkdownOptions } from '../../markdown/markdown-options.ts'
import type { ChatMessage } from '../../model/chat-message.ts'
import type { Source, SourcesBlock } from '../../model/display-blocks.ts'
import { useTexts } from '../kit/kit-context.ts'
import { useChatState } from '../kit/use-chat-kit.ts'
import { useOpenSource } from './open-source.tsx'

/** Where a number in an answer leads. */
export const sourceID = (message: ChatMessage, position: number): string =>
  `ck-source-${message.localID ?? message.messageID}-${position}`

/** The options for an answer's text: `[1]` in it leads to source 1, if the answer has one. */
export function useCitations(message: ChatMessage): MarkdownOptions {
  const options = useMarkdownOptions()
  // The sources come after the text they belong to, when the text is no longer drawn again.
  // A message that the host draws is another one in the list.
  const sources = useChatState(({ messages }) => sourcesOf(messages.findLast(isSame(message))) ?? sourcesOf(message))
  return useMemo(
    () => (sources ? { ...options, renderText: (text: string) => cite(text, sources, message) } : options),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- of the message only its id is used
    [options, sources, message.localID, message.messageID],
  )
}

const isSame = (one: ChatMessage) => (other: ChatMessage) => one.messageID === other.messageID

const sourcesOf = (message: ChatMessage | undefined): Source[] | undefined =>
  message?.content.find((block): block is SourcesBlock => block.type === 'Sources')?.content

function cite(text: string, sources: readonly Source[], message: ChatMessage): ReactNode {
  return text.split(/\[(\d{1,4})\]/).map((part, i) => {
    if (i % 2 === 0) return part
    const source = sources.find(({ position }, at) => (position ?? at + 1) === Number(part))
    if (!source) return `[${part}]`
    // oxlint-disable-next-line react/no-array-index-key -- pieces of a text have no other identity
    return <Citation key={i} number={part} source={source} id={sourceID(message, Number(part))} />
  })
}

/**
 * Opens the passage, else goes to the list; the page's address stays, hosts route by it. A link in both cases: a button
 * would be a box that lines break around.
 */
function Citation({ number, source, id }: { number: string; source: Source; id: string }) {
  const texts = useTexts()
  const open = useOpenSource(source)
  const follow = (event: SyntheticEvent) => {
    event.preventDefault()
    if (open) return open()
    const root = event.currentTarget.getRootNode() as Document | ShadowRoot
    const list = event.currentTarget.closest('.ck-message')?.querySelector<HTMLElement>('.ck-sources button')
    // Behind a closed row there is nothing to go to.
    const target = root.getElementById(id) ?? list
    target?.scrollIntoView({ block: 'nearest' })
    target?.focus()
  }
  return (
    <a
      className="ck-link ck-citation"
      href={`#${id}`}
      aria-label={texts.source(number, source.title)}
      onClick={follow}
      {...(open && { role: 'button', onKeyDown: (event) => event.key === ' ' && follow(event) })}
    >
      [{number}]
    </a>
  )
}
