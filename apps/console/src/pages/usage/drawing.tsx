import type { KeyboardEvent, PointerEvent } from 'react'
import type { Plot, Series } from './plots.ts'

type DrawingProps = {
  plot: Plot
  /** Of each place along the axis. */
  labels: readonly string[]
  at: number | null
  onAt: (at: number | null) => void
}

/** Shares of a place that a bar leaves free at each side. */
const GAP = 0.14
const MOST_LABELS = 6

/**
 * A place is one unit wide and the highest line at 1: the drawing is stretched to its room, and only lines keep their width.
 * Words stand beside it, in the page's own sizes.
 */
export function Drawing({ plot, labels, at, onAt }: DrawingProps) {
  const { kind, series, ticks, show } = plot
  const count = labels.length
  const top = ticks.at(-1) ?? 1
  const point = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    onAt(clamp(Math.floor(((event.clientX - left) / width) * count), count))
  }
  const every = Math.ceil(count / MOST_LABELS)
  return (
    <div className="usage-drawing">
      <div className="usage-ticks relative text-11 text-faint" aria-hidden="true">
        {ticks.map((tick) => (
          <span key={tick} style={{ insetBlockEnd: `${(tick / top) * 100}%` }}>
            {show(tick)}
          </span>
        ))}
      </div>
      <div
        role="slider"
        tabIndex={0}
        aria-label={plot.title}
        aria-valuemin={1}
        aria-valuemax={count}
        aria-valuenow={(at ?? count - 1) + 1}
        aria-valuetext={labels[at ?? count - 1]}
        data-plot={plot.name}
        className="usage-room"
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => onAt(null)}
        onBlur={() => onAt(null)}
        onFocus={() => onAt(at ?? count - 1)}
        onKeyDown={(event) => moveBy(event, { at, count, onAt })}
      >
        <svg viewBox={`0 0 ${count} 1`} preserveAspectRatio="none" aria-hidden="true">
          {ticks.map((tick) => (
            <line key={tick} x1={0} x2={count} {...across(1 - tick / top)} stroke="var(--line)" {...THIN} />
          ))}
          {kind === 'bars' ? <Bars series={series} top={top} /> : <Lines series={series} top={top} />}
        </svg>
        {at === null ? null : (
          <span
            data-here=""
            aria-hidden="true"
            className="usage-here"
            style={{ insetInlineStart: `${((at + 0.5) / count) * 100}%` }}
          />
        )}
      </div>
      <div className="usage-labels text-11 text-faint" aria-hidden="true">
        {labels.map((label, index) =>
          index % every === 0 && index + every / 2 <= count ? (
            <span key={label} style={{ insetInlineStart: index === 0 ? 0 : `${((index + 0.5) / count) * 100}%` }}>
              {label}
            </span>
          ) : null,
        )}
      </div>
    </div>
  )
}

const THIN = { strokeWidth: 1, vectorEffect: 'non-scaling-stroke' } as const
const across = (y: number) => ({ y1: y, y2: y })
const clamp = (at: number, count: number) => Math.max(0, Math.min(at, count - 1))

function moveBy(
  event: KeyboardEvent,
  { at, count, onAt }: Pick<DrawingProps, 'at' | 'onAt'> & { count: number },
): void {
  const here = at ?? count - 1
  const there = { ArrowLeft: here - 1, ArrowRight: here + 1, Home: 0, End: count - 1 }[event.key]
  if (there === undefined) return
  event.preventDefault()
  onAt(clamp(there, count))
}

function Bars({ series, top }: { series: readonly Series[]; top: number }) {
  const below = new Map<number, number>()
  return series.map(({ name, colour, values }) => (
    <g key={name} fill={colour}>
      {values.map((value, index) => {
        const from = below.get(index) ?? 0
        const height = (value ?? 0) / top
        if (height === 0) return null
        below.set(index, from + height)
        return <rect key={index} x={index + GAP} width={1 - 2 * GAP} y={1 - from - height} height={height} />
      })}
    </g>
  ))
}

/** Lines end where nothing happened; a value alone is a short one. */
function Lines({ series, top }: { series: readonly Series[]; top: number }) {
  return series.map(({ name, colour, isDashed, values }) => (
    <path
      key={name}
      d={pathOf(values, top)}
      fill="none"
      stroke={colour}
      strokeWidth={2}
      strokeLinejoin="round"
      strokeDasharray={isDashed ? '6 3' : undefined}
      vectorEffect="non-scaling-stroke"
    />
  ))
}

export function pathOf(values: readonly (number | null)[], top: number): string {
  const has = (index: number) => (values[index] ?? null) !== null
  return values
    .flatMap((value, index) => {
      if (value === null) return []
      const y = Number((1 - value / top).toFixed(4))
      if (has(index - 1)) return [`L${index + 0.5} ${y}`]
      return has(index + 1) ? [`M${index + 0.5} ${y}`] : [`M${index + 0.25} ${y}L${index + 0.75} ${y}`]
    })
    .join('')
}
