import { joinClasses, Markdown, type BlockProps, type MarkdownBlock } from '@parley/chatkit'
import { useView } from './view-context.ts'

/** The assistant's text. */
export function TextBlockView({ block, isStreaming }: BlockProps<MarkdownBlock>) {
  const { classNames } = useView()
  return (
    <Markdown
      className={joinClasses('ak-text', classNames.assistantText)}
      text={block.content}
      streaming={isStreaming}
      dir="auto"
    />
  )
}
