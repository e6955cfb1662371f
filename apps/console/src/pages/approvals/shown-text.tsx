import { useWords } from '../../texts/language.ts'
import { piecesOf } from './visible-text.ts'
import { approvalWords } from './words.ts'

/** A text of the agent or of a tool, as it is: what is hidden in it is shown by its number. */
export function ShownText({ text }: { text: string }) {
  const words = useWords(approvalWords)
  return piecesOf(text).map(({ text: piece, isHidden }, at) =>
    isHidden ? (
      <span
        key={at}
        title={words.hiddenMark(piece)}
        className="mx-px rounded-chip border border-danger bg-danger-soft px-1 text-11 text-danger"
      >
        {piece}
      </span>
    ) : (
      piece
    ),
  )
}

export function hasHidden(text: string): boolean {
  return piecesOf(text).some(({ isHidden }) => isHidden)
}

/** Wrapped between words, never inside one that fits on a line. */
export function Command({ text }: { text: string }) {
  return (
    <Boxed>
      <pre dir="ltr" className="flex gap-2 p-4 font-mono text-13 whitespace-pre-wrap">
        <span aria-hidden="true" className="flex-none text-faint select-none">
          $
        </span>
        <code className="min-w-0 font-mono">
          {text.split(/(\s+)/).map((word, at) =>
            at % 2 === 0 ? (
              <span key={at} className="inline-block max-w-full [overflow-wrap:anywhere] whitespace-pre-wrap">
                <ShownText text={word} />
              </span>
            ) : (
              <ShownText key={at} text={word} />
            ),
          )}
        </code>
      </pre>
    </Boxed>
  )
}

export function Boxed({ children }: { children: React.ReactNode }) {
  return <div className="overflow-hidden rounded-card border border-line bg-raised">{children}</div>
}

/** Names and values, each in full. */
export function Values({ values }: { values: Record<string, unknown> }) {
  return (
    <Boxed>
      <dl className="text-13">
        {Object.entries(values).map(([name, value]) => (
          <div key={name} className="flex gap-4 border-line px-4 py-2 not-first:border-t max-md:flex-col max-md:gap-0">
            <dt className="w-36 flex-none font-mono text-12 leading-[20px] text-muted [overflow-wrap:anywhere]">
              <ShownText text={name} />
            </dt>
            <dd dir="ltr" className="min-w-0 font-mono [overflow-wrap:anywhere] whitespace-pre-wrap">
              <ShownText text={textOf(value)} />
            </dd>
          </div>
        ))}
      </dl>
    </Boxed>
  )
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

export function Json({ value, label }: { value: unknown; label: string }) {
  return (
    <details className="text-13">
      <summary className="w-fit text-12 text-muted">{label}</summary>
      <pre
        dir="ltr"
        className="mt-2 rounded-card border border-line bg-raised p-4 font-mono text-12 [overflow-wrap:anywhere] whitespace-pre-wrap"
      >
        <ShownText text={textOf(value)} />
      </pre>
    </details>
  )
}
