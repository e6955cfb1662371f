import type { DiffLine } from './line-diff.ts'
import type { ShownChange } from './file-change.ts'
import { Icon } from '../controls/icon.tsx'
import { VisibleText } from './visible-text.tsx'

/** Unchanged lines around the changed ones; more of them are left out. */
const AROUND = 3

/** The lines of a file that change, and some around them. Every line says by a sign what becomes of it. */
export function DiffView({ change: { path, hunks } }: { change: ShownChange }) {
  const count = (sign: DiffLine['sign']) => hunks.flat().filter((line) => line.sign === sign).length
  return (
    <div className="ck-diff">
      <p className="ck-diff-head">
        <Icon name="file" />
        <code>
          <VisibleText text={path} />
        </code>
        <span className="ck-diff-added">+{count('+')}</span>
        <span className="ck-diff-removed">−{count('-')}</span>
      </p>
      {hunks.flatMap(partsOf).map((lines, i) => (
        // oxlint-disable-next-line react/no-array-index-key -- parts have no other identity
        <Lines key={i} lines={lines} />
      ))}
    </div>
  )
}

function Lines({ lines }: { lines: readonly DiffLine[] }) {
  return (
    <pre className="ck-diff-lines" dir="ltr">
      {lines.map(({ sign, text, before, after }, i) => (
        // oxlint-disable-next-line react/no-array-index-key -- lines have no other identity
        <span key={i} className="ck-diff-line" data-sign={sign}>
          <span className="ck-diff-number">{after ?? before}</span>
          <span className="ck-diff-sign">{sign === '-' ? '−' : sign}</span>
          <span className="ck-diff-text">
            <VisibleText text={text} />
            {'\n'}
          </span>
        </span>
      ))}
    </pre>
  )
}

/** The stretches that are near a change. */
function partsOf(lines: readonly DiffLine[]): DiffLine[][] {
  const isNear = lines.map((_, i) =>
    lines.slice(Math.max(0, i - AROUND), i + AROUND + 1).some(({ sign }) => sign !== ' '),
  )
  const parts: DiffLine[][] = []
  for (const [i, line] of lines.entries()) {
    if (!isNear[i]) continue
    if (isNear[i - 1]) parts.at(-1)!.push(line)
    else parts.push([line])
  }
  return parts
}
