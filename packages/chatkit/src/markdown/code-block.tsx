import { memo, useDeferredValue, useMemo, type ComponentProps } from 'react'
import { useMarkdownOptions, type Highlighter } from './markdown-options.ts'
import { useCopy } from './use-copy.ts'
import { useLoaded } from './use-loaded.ts'

export type CodeBlockProps = Omit<ComponentProps<'div'>, 'children'> & {
  /** The code, whole or in runs of lines; a run that did not change is not drawn again. */
  code: string | readonly CodePart[]
  language?: string
  title?: string
  /** Coloured only once it is complete. */
  isComplete?: boolean
}
export type CodePart = { key: number; text: string }

/** Longer code stays plain: colouring it would hold the page up. */
const MAX_COLOURED = 20_000

export function CodeBlock({ code, language = '', title, isComplete = true, className, ...props }: CodeBlockProps) {
  const { texts, loadHighlighter } = useMarkdownOptions()
  const { isCopied, copy } = useCopy()
  const parts = typeof code === 'string' ? [{ key: 0, text: code }] : code
  const name = /^[\w+#.-]+/.exec(language)?.[0] ?? ''
  const length = parts.reduce((sum, { text }) => sum + text.length, 0)
  const isColoured = isComplete && name !== '' && length <= MAX_COLOURED
  // Plain in the frame that shows it; coloured when the page has time.
  const highlighter = useDeferredValue(useLoaded(isColoured ? loadHighlighter : undefined) ?? null, null)
  const label = [texts.codeIn, title ?? name].filter(Boolean).join(' ')
  return (
    <div className={['ck-code', className].filter(Boolean).join(' ')} {...props}>
      <div className="ck-code-head">
        <span className="ck-code-language">{title ?? name}</span>
        <button type="button" className="ck-code-copy" onClick={() => copy(parts.map(({ text }) => text).join(''))}>
          {isCopied ? texts.copied : texts.copyCode}
        </button>
      </div>
      {/* Focusable, so that long lines can be scrolled with the keyboard. */}
      <pre className="ck-code-body" dir="ltr" role="group" aria-label={label} tabIndex={0}>
        <code>
          {highlighter ? (
            <Highlighted code={parts.map(({ text }) => text).join('')} language={name} highlighter={highlighter} />
          ) : (
            parts.map((part) => <PlainPart key={part.key} text={part.text} />)
          )}
        </code>
      </pre>
    </div>
  )
}

const PlainPart = memo(function PlainPart({ text }: { text: string }) {
  return <span className="ck-code-part">{text}</span>
})

function Highlighted({ code, language, highlighter }: { code: string; language: string; highlighter: Highlighter }) {
  const lines = useMemo(() => {
    try {
      return highlighter(code, language)
    } catch {
      return undefined // A grammar that fails costs colours, not the code.
    }
  }, [code, language, highlighter])
  if (!lines) return <PlainPart text={code} />
  return lines.map((line, i) => (
    // oxlint-disable-next-line react/no-array-index-key -- lines have no other identity
    <span key={i} className="ck-code-part">
      {line.map(({ text, kind }, j) =>
        kind ? (
          // oxlint-disable-next-line react/no-array-index-key -- as above
          <span key={j} className={`ck-code-${kind}`}>
            {text}
          </span>
        ) : (
          text
        ),
      )}
      {'\n'}
    </span>
  ))
}
