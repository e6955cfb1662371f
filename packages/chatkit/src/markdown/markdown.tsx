import { forwardRef, memo, useId, useState, type ComponentPropsWithoutRef } from 'react'
import { BlockView } from './block-view.tsx'
import { FootnoteScope } from './footnotes.tsx'
import { MarkdownDocument, type BlockGroup } from './markdown-document.ts'

export type MarkdownProps = Omit<ComponentPropsWithoutRef<'div'>, 'children'> & {
  text: string
  /** The text is still growing: its half-written end is completed for display. */
  streaming?: boolean
}

/** Draws Markdown. While it grows, only its open block is read and drawn again. */
export const Markdown = forwardRef<HTMLDivElement, MarkdownProps>(function Markdown(
  { text, streaming = false, className, ...props },
  ref,
) {
  // A cache, not state: what it answers depends on the arguments alone.
  const [document] = useState(() => new MarkdownDocument())
  const scope = useId()
  return (
    <FootnoteScope.Provider value={scope}>
      <div ref={ref} className={className ? `ck-md ${className}` : 'ck-md'} {...props}>
        {document.update(text, streaming).map((blocks, i) => (
          <Group key={i} blocks={blocks} />
        ))}
      </div>
    </FootnoteScope.Provider>
  )
})

const Group = memo(function Group({ blocks }: { blocks: BlockGroup }) {
  return (
    // Out of view, a group costs neither layout nor paint; single blocks would cost more to watch than to draw.
    <div className="ck-group">
      {blocks.map((block) => (
        <BlockView key={block.key} block={block} />
      ))}
    </div>
  )
})
