import type { RecordedEvent } from '@parley/protocol/rest'
import { type KeyboardEvent, memo, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { type Axis, axisOf } from '../../timeline/axis.ts'
import type { Bar } from '../../timeline/bars.ts'
import type { Fold } from '../../timeline/folds.ts'
import type { Lane } from '../../timeline/lanes.ts'
import type { Timeline } from '../../timeline/timeline.ts'
import { BarShape } from './bar.tsx'
import { barLabel, barTitle } from './bar-words.ts'
import { clockOf, since } from './times.ts'
import { useDecider } from './use-deciders.ts'
import { runWords } from './words.ts'

export type Zoom = { from: number; to: number } | null

type LanesProps = {
  timeline: Timeline
  events: readonly RecordedEvent[]
  count: number
  onMove: (count: number) => void
  zoom: Zoom
  onZoom: (zoom: Zoom) => void
}

const DRAG_PX = 6
const percent = (share: number) => `${(share * 100).toFixed(3)}%`

/** Who worked when: lanes over one axis, on which long waits are folded. A press moves the playhead, a drag zooms. */
export function Lanes({ timeline, events, count, onMove, zoom, onZoom }: LanesProps) {
  const words = useWords(runWords)
  const [opened, setOpened] = useState<readonly number[]>([])
  const { area, width } = useWidth()
  const { lanes, folds, duration, start } = timeline
  const shown = useMemo(() => zoom ?? { from: 0, to: Math.max(duration, 1) }, [zoom, duration])
  const axis = useMemo(
    () => axisOf({ ...shown, folds: folds.filter(({ from }) => !opened.includes(from)), width }),
    [shown, folds, opened, width],
  )
  const here = (events[count - 1]?.at ?? start) - start
  const drag = useDrag({ area, axis, timeline, events, onMove, onZoom })
  return (
    <div className="run-lanes relative flex-none px-5 pt-2 max-md:px-4" role="group" aria-label={words.timeline}>
      <div
        ref={area}
        className="relative ml-20 touch-pan-y max-md:ml-0"
        onPointerDown={drag.onDown}
        onPointerMove={drag.onMove}
        onPointerUp={drag.onUp}
        onDoubleClick={() => onZoom(null)}
      >
        <AxisLine axis={axis} onUnfold={(fold) => setOpened([...opened, fold.from])} />
        <LaneGrid lanes={lanes} axis={axis} shown={shown} events={events} onMove={onMove} />
        <Marks timeline={timeline} axis={axis} shown={shown} />
        {here >= shown.from && here <= shown.to ? (
          <PlayheadLine place={axis.place(here)} count={count} total={events.length} at={here} />
        ) : null}
        {drag.selected ? (
          <span
            aria-hidden="true"
            className="pointer-events-none absolute inset-y-0 border-x border-accent bg-accent/10"
            style={{
              insetInlineStart: percent(drag.selected[0]),
              inlineSize: percent(drag.selected[1] - drag.selected[0]),
            }}
          />
        ) : null}
      </div>
    </div>
  )
}

function AxisLine({ axis, onUnfold }: { axis: Axis; onUnfold: (fold: Fold) => void }) {
  const words = useWords(runWords)
  const format = useFormat()
  return (
    <div className="relative h-7 border-b border-line text-11 text-faint">
      {axis.ticks.map(({ at, place }) => (
        <span
          key={at}
          className="absolute top-1 whitespace-nowrap"
          style={place > 0.95 ? { insetInlineEnd: 0 } : { insetInlineStart: percent(place) }}
        >
          {at < 60_000 ? format.duration(at) : clockOf(at)}
        </span>
      ))}
      {axis.gaps.map(({ fold, from, to }) => (
        <button
          key={fold.from}
          type="button"
          title={words.unfold(format.duration(fold.to - fold.from))}
          onPointerDown={(event) => event.stopPropagation()}
          onClick={() => onUnfold(fold)}
          className="absolute top-0 flex h-6 items-center justify-center truncate rounded-chip bg-surface px-1 hover:bg-hover"
          style={{ insetInlineStart: percent(from), inlineSize: percent(to - from) }}
        >
          <span className="truncate max-md:sr-only">{words.folded(format.duration(fold.to - fold.from))}</span>
          <span className="md:hidden" aria-hidden="true">
            ⋯
          </span>
        </button>
      ))}
    </div>
  )
}

type GridProps = {
  lanes: readonly Lane[]
  axis: Axis
  shown: { from: number; to: number }
  events: readonly RecordedEvent[]
  onMove: (count: number) => void
}

/** One tab stop; up and down go from bar to bar, Enter goes to its beginning. Not drawn anew when only the playhead moves. */
const LaneGrid = memo(function LaneGrid({ lanes, axis, shown, events, onMove }: GridProps) {
  const words = useWords(runWords)
  const [chosen, setChosen] = useState('')
  const bars = lanes.flatMap(({ tracks }) => tracks.flat())
  const stop = bars.some(({ id }) => id === chosen) ? chosen : bars[0]?.id
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const at = bars.findIndex(({ id }) => id === stop)
    const next = event.key === 'ArrowDown' ? at + 1 : event.key === 'ArrowUp' ? at - 1 : undefined
    const bar = bars[at]
    if (event.key === 'Enter' && bar) return onMove(bar.first + 1)
    if (next === undefined) return
    event.preventDefault()
    const wanted = bars[Math.min(Math.max(next, 0), bars.length - 1)]
    if (!wanted) return
    setChosen(wanted.id)
    event.currentTarget.querySelector<HTMLElement>(`[data-bar="${wanted.id}"]`)?.focus()
  }
  return (
    <div role="grid" aria-label={words.timeline} onKeyDown={onKeyDown}>
      {lanes.map((lane) => (
        <div
          key={lane.id}
          role="rowgroup"
          aria-label={laneName(lane, words.lanes)}
          className="relative flow-root border-b border-line"
        >
          <span
            aria-hidden="true"
            className="pointer-events-none absolute top-2 right-full mr-2 w-18 truncate text-12 text-muted max-md:static max-md:mr-0 max-md:block max-md:w-full max-md:pt-1 max-md:text-11"
          >
            {laneName(lane, words.lanes)}
          </span>
          {(lane.tracks.length > 0 ? lane.tracks : [[]]).map((track, index) => (
            <div key={index} role="none" className="relative my-2 h-4 max-md:my-1">
              {track.map((bar) => (
                <LaneBar
                  key={bar.id}
                  bar={bar}
                  axis={axis}
                  shown={shown}
                  events={events}
                  isStop={bar.id === stop}
                  onChoose={() => {
                    setChosen(bar.id)
                    onMove(bar.first + 1)
                  }}
                />
              ))}
            </div>
          ))}
        </div>
      ))}
    </div>
  )
})

type LaneBarProps = {
  bar: Bar
  axis: Axis
  shown: { from: number; to: number }
  events: readonly RecordedEvent[]
  isStop: boolean
  onChoose: () => void
}

function LaneBar({ bar, axis, shown, events, isStop, onChoose }: LaneBarProps) {
  const words = useWords(runWords)
  const format = useFormat()
  const decider = useDecider(bar.kind === 'person' ? bar.confirmation_id : null)
  if (bar.to < shown.from || bar.from > shown.to) return null
  const place = { from: axis.place(bar.from), to: axis.place(bar.to) }
  const firstAt = bar.kind === 'model' ? (bar.firstAt ?? null) : null
  const title = barTitle(bar, events, { words, format, decider })
  return (
    <div role="row" className="contents">
      <div
        role="gridcell"
        data-bar={bar.id}
        data-kind={bar.kind}
        tabIndex={isStop ? 0 : -1}
        aria-label={title}
        title={title}
        onDoubleClick={(event) => event.stopPropagation()}
        onClick={onChoose}
        className="absolute inset-y-0 min-w-1 cursor-pointer"
        style={{ insetInlineStart: percent(place.from), inlineSize: percent(place.to - place.from) }}
      >
        <BarShape
          bar={bar}
          place={place}
          firstPlace={firstAt === null ? null : axis.place(firstAt)}
          label={barLabel(bar, { words, format, decider })}
        />
      </div>
    </div>
  )
}

function Marks({
  timeline: { marks },
  axis,
  shown,
}: {
  timeline: Timeline
  axis: Axis
  shown: { from: number; to: number }
}) {
  return (
    <div aria-hidden="true" className="pointer-events-none absolute inset-x-0 top-7 bottom-0">
      {marks
        .filter(({ at }) => at >= shown.from && at <= shown.to)
        .map(({ kind, at, index }) => (
          <span
            key={`${kind} ${index}`}
            data-mark={kind}
            className="run-mark absolute inset-y-0"
            style={{ insetInlineStart: percent(axis.place(at)) }}
          />
        ))}
    </div>
  )
}

function PlayheadLine({ place, count, total, at }: { place: number; count: number; total: number; at: number }) {
  const words = useWords(runWords)
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={words.playhead}
      aria-valuemin={1}
      aria-valuemax={Math.max(total, 1)}
      aria-valuenow={Math.max(count, 1)}
      aria-valuetext={`${words.eventOf(count, total)}, ${since(at)}`}
      className="run-playhead absolute top-0 bottom-0"
      style={{ insetInlineStart: percent(place) }}
    />
  )
}

function laneName(lane: Lane, names: Record<Lane['kind'], string>): string {
  return lane.name ?? names[lane.kind]
}

function useWidth() {
  const area = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(900)
  useEffect(() => {
    const element = area.current
    if (!element) return
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return { area, width }
}

type DragOptions = Pick<LanesProps, 'timeline' | 'events' | 'onMove' | 'onZoom'> & {
  area: React.RefObject<HTMLDivElement | null>
  axis: Axis
}

/** A press is a place, a drag is a stretch. */
function useDrag({ area, axis, timeline, events, onMove, onZoom }: DragOptions) {
  const [selected, setSelected] = useState<[number, number] | null>(null)
  const pressed = useRef<number | null>(null)
  const shareOf = (event: PointerEvent) => {
    const box = area.current?.getBoundingClientRect()
    return box ? Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) : 0
  }
  return {
    selected,
    onDown: (event: PointerEvent) => {
      if (event.button === 0) pressed.current = shareOf(event)
    },
    onMove: (event: PointerEvent) => {
      const from = pressed.current
      if (from === null || event.buttons === 0 || event.pointerType === 'touch') return
      const to = shareOf(event)
      const width = area.current?.clientWidth ?? 1
      setSelected(Math.abs(to - from) * width < DRAG_PX ? null : [Math.min(from, to), Math.max(from, to)])
    },
    onUp: (event: PointerEvent) => {
      const from = pressed.current
      pressed.current = null
      if (from === null) return
      if (selected) {
        setSelected(null)
        return onZoom({ from: axis.timeAt(selected[0]), to: axis.timeAt(selected[1]) })
      }
      if ((event.target as Element).closest('[data-bar], button')) return
      const at = timeline.start + axis.timeAt(shareOf(event))
      const after = events.findIndex((one) => one.at > at)
      onMove(after === -1 ? events.length : Math.max(after, 1))
    },
  }
}
