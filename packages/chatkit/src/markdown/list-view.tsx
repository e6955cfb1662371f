import type { Tokens } from 'marked'
import { memo } from 'react'
import { ItemView, ListElement, renderBlocks } from './block-tokens.tsx'
import type { MarkdownBlock, MarkdownPart } from './markdown-document.ts'

/** A list of the text itself: its items are parts, so that a new one does not draw the others again. */
export function ListBlock({ block }: { block: MarkdownBlock }) {
  const first = listOf(block.parts[0]!)
  const items = block.parts.map((part) => <PartItems key={part.key} part={part} />)
  return <ListElement list={first} isLoose={block.isLoose} items={items} />
}

const PartItems = memo(function PartItems({ part }: { part: MarkdownPart }) {
  const list = listOf(part)
  if (!list) return <li>{renderBlocks(part.tokens, 1)}</li>
  const rest = part.tokens.filter((token) => token !== list && token.type !== 'space')
  const last = list.items.length - 1
  return list.items.map((item, i) => (
    <ItemView key={i} item={item} depth={1}>
      {i === last ? renderBlocks(rest, 1) : null}
    </ItemView>
  ))
})

const listOf = (part: MarkdownPart): Tokens.List | undefined =>
  part.tokens.find((token): token is Tokens.List => token.type === 'list')
