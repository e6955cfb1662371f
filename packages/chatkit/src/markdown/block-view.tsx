import { memo, type ReactNode } from 'react'
import { renderBlocks } from './block-tokens.tsx'
import { CodeBlock } from './code-block.tsx'
import { Footnote } from './footnotes.tsx'
import { ListBlock } from './list-view.tsx'
import type { MarkdownBlock, MarkdownPart } from './markdown-document.ts'
import { useMarkdownOptions } from './markdown-options.ts'
import { TableBlock } from './table-view.tsx'

/** One block of a text. Drawn again only when its own object changed. */
export const BlockView = memo(function BlockView({ block }: { block: MarkdownBlock }) {
  switch (block.kind) {
    case 'fence':
      return <FencedCode block={block} />
    case 'list':
      return <ListBlock block={block} />
    case 'table':
      return <TableBlock block={block} />
    case 'footnote':
      return <Footnote label={block.info}>{block.parts.map(tokensOf)}</Footnote>
    default:
      return block.parts.map(tokensOf)
  }
})

const tokensOf = (part: MarkdownPart): ReactNode => renderBlocks(part.tokens, 0)

function FencedCode({ block }: { block: MarkdownBlock }) {
  const { renderDiagram } = useMarkdownOptions()
  if (block.isClosed && /^mermaid\b/i.test(block.info) && renderDiagram) {
    const diagram = renderDiagram(block.parts.map(({ text }) => text).join(''), 'mermaid')
    if (diagram !== undefined) return diagram
  }
  return <CodeBlock code={block.parts} language={block.info} isComplete={block.isClosed} />
}
