import type { Bar } from '../../timeline/bars.ts'

/** Shares of the width. */
export type Placed = { from: number; to: number }

type BarShapeProps = { bar: Bar; place: Placed; firstPlace: number | null; label: string }

const percent = (share: number) => `${(share * 100).toFixed(3)}%`

/** A bar where it belongs; what it means is never told by its colour alone. */
export function BarShape({ bar, place, firstPlace, label }: BarShapeProps) {
  const width = Math.max(0, place.to - place.from)
  const split = firstPlace === null ? 1 : width === 0 ? 0 : (firstPlace - place.from) / width
  return (
    <span className="absolute inset-0" aria-hidden="true">
      {bar.kind === 'model' ? (
        <>
          <span
            className="absolute inset-y-0 left-0 rounded-chip bg-plot-1/25"
            style={{ inlineSize: percent(split) }}
          />
          {split < 1 ? (
            <span
              className="absolute inset-y-0 right-0 rounded-chip bg-plot-1 data-cut:bg-transparent data-cut:bg-linear-to-r data-cut:from-plot-1 data-cut:from-70% data-cut:to-transparent"
              data-cut={bar.isCut || undefined}
              style={{ insetInlineStart: percent(split) }}
            />
          ) : null}
        </>
      ) : (
        <span className="run-bar absolute inset-0 rounded-chip" data-kind={bar.kind} data-state={stateOf(bar)} />
      )}
      {label ? (
        <span
          data-kind={bar.kind}
          data-side={place.to > 0.7 ? 'before' : undefined}
          className="run-bar-label absolute inset-y-0 flex items-center text-11 whitespace-nowrap"
        >
          <span className="truncate">{label}</span>
        </span>
      ) : null}
    </span>
  )
}

function stateOf(bar: Bar): string | undefined {
  if (bar.kind === 'owner') return bar.cause === 'take_over' || bar.cause === 'hand_back' ? 'taken' : undefined
  if (bar.kind === 'tool') return bar.outcome ?? 'open'
  if (bar.kind === 'person') return bar.outcome ?? 'open'
  return undefined
}
