import { MarkdownOptionsProvider } from '../../markdown/markdown-options.ts'
import { Markdown } from '../../markdown/markdown.tsx'
import { CodeBlock as CodeView } from '../../markdown/code-block.tsx'
import type { MarkdownBlock, TextBlock } from '../../model/content-block.ts'
import type { CodeBlock, NoticeBlock } from '../../model/display-blocks.ts'
import type { ReasoningBlock } from '../../model/tool-block.ts'
import { Disclosure } from '../controls/disclosure.tsx'
import { formatSeconds } from '../texts/format.ts'
import { Icon } from '../controls/icon.tsx'
import { useKit, useTexts, type BlockProps } from '../kit/kit-context.ts'
import { useCitations } from './citations.tsx'

/** Never parsed. */
export function TextBlockView({ block }: BlockProps<TextBlock>) {
  return (
    <p className="ck-text" dir="auto">
      {block.content}
    </p>
  )
}

export function MarkdownBlockView({ block, message, isStreaming }: BlockProps<MarkdownBlock>) {
  return (
    <MarkdownOptionsProvider value={useCitations(message)}>
      <Markdown text={block.content} streaming={isStreaming} dir="auto" />
    </MarkdownOptionsProvider>
  )
}

/** Open while it streams and nothing else has come, closed afterwards unless the reader opened it. */
export function ReasoningBlockView({ block, message, isStreaming }: BlockProps<ReasoningBlock>) {
  const { texts, locale } = useKit().options
  const isLast = message.content.at(-1) === block
  const { text, durationMs } = block.content
  const isNow = isStreaming && isLast
  const aside = durationMs === undefined ? null : texts.seconds(formatSeconds(durationMs, locale))
  return (
    <Disclosure
      icon="thought"
      className="ck-reasoning"
      title={isNow ? texts.thinkingNow : texts.thought}
      aside={aside}
      isOpen={isNow}
    >
      <Markdown text={text} streaming={isNow} dir="auto" />
    </Disclosure>
  )
}

export function CodeBlockView({ block }: BlockProps<CodeBlock>) {
  const { code, language, title } = block.content
  return <CodeView code={code} {...(language !== undefined && { language })} {...(title !== undefined && { title })} />
}

export function NoticeBlockView({ block }: BlockProps<NoticeBlock>) {
  const { text, level, details } = block.content
  const icon = level === 'warning' ? 'warning' : 'info'
  if (details)
    return (
      <Disclosure icon={icon} className="ck-notice-details" title={text}>
        <Markdown text={details} dir="auto" />
      </Disclosure>
    )
  return (
    <p className="ck-notice" data-level={level}>
      <Icon name={icon} />
      {text}
    </p>
  )
}

/** A type this version does not know: said, never dropped. */
export function UnsupportedBlockView({ block }: BlockProps) {
  const texts = useTexts()
  return (
    <p className="ck-notice ck-unsupported">
      <Icon name="info" />
      {texts.unsupported(block.type)}
    </p>
  )
}
