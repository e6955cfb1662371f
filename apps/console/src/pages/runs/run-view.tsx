import type { Run, RunPage } from '@parley/protocol/rest'
import { Braces, Download, X } from '../../ui/icons.tsx'
import { useEffect, useState } from 'react'
import { useSearchParams } from 'wouter'
import { routes } from '../../routes.ts'
import { SheetBar } from '../../shell/frame.tsx'
import { useShortcuts } from '../../shell/use-shortcuts.ts'
import { useFormat } from '../../texts/format.ts'
import { useWords } from '../../texts/language.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { Empty, Failure, Skeleton } from '../../ui/states.tsx'
import { Figures } from './figures.tsx'
import { Lanes, type Zoom } from './lanes.tsx'
import { Ledger } from './ledger.tsx'
import { Moment } from './moment.tsx'
import { StatusPill, TakenOverPill } from './pills.tsx'
import { nextMark, nextPoint } from './steps.ts'
import { Transport } from './transport.tsx'
import { DecidersContext, useDeciders } from './use-deciders.ts'
import { usePlayhead, VIEWS } from './use-playhead.ts'
import { type LoadedRun, useRun } from './use-run.ts'
import { runWords, type ShownStatus } from './words.ts'

type RunViewProps = {
  session_id: string
  title: string
  /** Ids of runs that continue each other, in order. */
  chain: readonly string[]
  runs: RunPage
}

/** One run, from its message to its end. */
export function RunView({ session_id, title, chain, runs }: RunViewProps) {
  const words = useWords(runWords)
  const known = runs.items.filter(({ run_id }) => chain.includes(run_id))
  const isUnderWay = known.some(({ status }) => status === 'running' || status === 'waiting')
  const { run, error, isReady, retry } = useRun(session_id, chain, isUnderWay)
  const status = statusOf(run, known[0]?.status)
  const takeovers = Math.max(
    run.timeline.figures.takeovers,
    known.reduce((sum, one) => sum + one.takeovers, 0),
  )
  const place = placeOf(runs, chain)
  return (
    <>
      <SheetBar
        up={routes.session(session_id)}
        title={
          <h1 className="flex items-baseline gap-2">
            <span className="flex-none">{words.title}</span>
            <span className="truncate text-13 font-normal text-muted max-md:hidden">
              {place ? `${title} · ${words.runOf(...place)}` : title}
            </span>
          </h1>
        }
      >
        {takeovers > 0 ? <TakenOverPill count={takeovers} /> : null}
        {isReady ? <StatusPill status={status} /> : null}
        <Export run={run} name={chain[0] ?? ''} />
      </SheetBar>
      {error ? <Failure error={error} retry={retry} /> : null}
      {!error && !isReady ? <Skeleton rows={10} /> : null}
      {isReady && run.events.length === 0 && !error ? <Empty title={words.nothingYet} /> : null}
      {run.events.length > 0 ? <Recorded session_id={session_id} run={run} status={status} known={known} /> : null}
    </>
  )
}

type RecordedProps = { session_id: string; run: LoadedRun; status: ShownStatus; known: readonly Run[] }

function Recorded({ session_id, run, status, known }: RecordedProps) {
  const words = useWords(runWords)
  const format = useFormat()
  const { timeline, events, scrubber, prunedTo, isLoading } = run
  const playhead = usePlayhead(events)
  const deciders = useDeciders(timeline)
  const [zoom, setZoom] = useState<Zoom>(null)
  const [isMomentOpen, setMomentOpen] = useState(false)
  const { count, move, view, show } = playhead
  const zoomBy = (factor: number) =>
    setZoom(zoomed(zoom, (events[count - 1]?.at ?? 0) - timeline.start, { factor, duration: timeline.duration }))
  useShortcuts({
    ArrowLeft: () => move(count - 1),
    ArrowRight: () => move(count + 1),
    'Shift+ArrowLeft': () => move(nextPoint(timeline.rows, count, -1)),
    'Shift+ArrowRight': () => move(nextPoint(timeline.rows, count, 1)),
    'Alt+ArrowLeft': () => move(nextMark(timeline.marks, count, -1)),
    'Alt+ArrowRight': () => move(nextMark(timeline.marks, count, 1)),
    Home: () => move(1),
    End: () => move(events.length),
    ...Object.fromEntries(VIEWS.map((one, index) => [String(index + 1), () => show(one)])),
    'Shift+Equal': () => zoomBy(0.5),
    Equal: () => zoomBy(0.5),
    Minus: () => zoomBy(2),
  })
  useSpace(playhead.play)
  const moment = <Moment {...{ session_id, events, scrubber, count, view }} onView={show} />
  return (
    <DecidersContext value={deciders}>
      <Figures timeline={timeline} status={status} runs={known} />
      <Lanes timeline={timeline} events={events} count={count} onMove={move} zoom={zoom} onZoom={setZoom} />
      <Transport playhead={playhead} total={events.length} isZoomed={zoom !== null} onResetZoom={() => setZoom(null)} />
      {prunedTo === null ? null : (
        <p className="flex-none border-b border-line bg-raised px-5 py-2 text-12 text-muted">
          {words.pruned(format.number(prunedTo))}
        </p>
      )}
      <div className="flex min-h-0 grow">
        <div className="flex min-w-0 grow basis-1/2 flex-col">
          <Ledger
            rows={timeline.rows}
            start={timeline.start}
            count={count}
            onChoose={(next) => {
              move(next)
              setMomentOpen(matchMedia('(width < 768px)').matches)
            }}
          />
          {isLoading ? <p className="flex-none px-5 py-1 text-12 text-muted">{words.loadingMore}</p> : null}
        </div>
        <div className="flex min-w-0 grow basis-1/2 flex-col border-l border-line max-md:hidden">{moment}</div>
      </div>
      {isMomentOpen ? <MomentSheet onClose={() => setMomentOpen(false)}>{moment}</MomentSheet> : null}
    </DecidersContext>
  )
}

/** On a phone the moment lies over the ledger. */
function MomentSheet({ onClose, children }: { onClose: () => void; children: React.ReactNode }) {
  const words = useWords(runWords)
  useShortcuts({ Escape: onClose })
  return (
    <div role="dialog" aria-label={words.moment} className="absolute inset-0 z-30 flex flex-col bg-raised md:hidden">
      <div className="flex flex-none justify-end border-b border-line">
        <IconButton label={words.close} onClick={onClose} autoFocus>
          <X size={18} />
        </IconButton>
      </div>
      {children}
    </div>
  )
}

/** The record as a file. */
function Export({ run, name }: { run: LoadedRun; name: string }) {
  const words = useWords(runWords)
  const [, setParams] = useSearchParams()
  const showRaw = () =>
    setParams(
      (before) => new URLSearchParams([...before].filter(([name]) => name !== 'view').concat([['view', 'raw']])),
      {
        replace: true,
      },
    )
  const save = () => {
    const lines = run.events.map((event) => JSON.stringify(event)).join('\n')
    saveFile(new Blob([`${lines}\n`], { type: 'application/x-ndjson' }), `${name}.jsonl`)
  }
  const isEmpty = run.events.length === 0
  return (
    <>
      <Button kind="quiet" disabled={isEmpty} onClick={showRaw} className="max-lg:hidden">
        <Braces size={16} />
        {words.raw}
      </Button>
      <Button kind="quiet" disabled={isEmpty || run.isLoading} onClick={save} className="max-md:hidden">
        <Download size={16} />
        {words.export}
      </Button>
    </>
  )
}

/** A space plays and pauses, unless it presses what has the focus. */
function useSpace(play: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isPressing = event.target instanceof Element && event.target.closest('button, a, input, textarea, summary')
      if (event.key !== ' ' || isPressing || event.repeat) return
      event.preventDefault()
      play()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
}

function statusOf({ timeline: { end } }: LoadedRun, known: ShownStatus | undefined): ShownStatus {
  if (known === 'waiting' || end?.isWaiting) return known === 'completed' ? known : 'waiting'
  return known ?? (end?.status as ShownStatus | undefined) ?? 'running'
}

/** Which of the session's runs these are, counted from the first. */
function placeOf({ items, total }: RunPage, chain: readonly string[]): [number, number, number] | null {
  const numbers = items.flatMap(({ run_id }, index) => (chain.includes(run_id) ? [total - index] : []))
  return numbers.length === 0 ? null : [Math.min(...numbers), Math.max(...numbers), total]
}

function zoomed(zoom: Zoom, around: number, { factor, duration }: { factor: number; duration: number }): Zoom {
  const { from, to } = zoom ?? { from: 0, to: duration }
  const length = Math.max(50, (to - from) * factor)
  if (length >= duration) return null
  const start = Math.min(Math.max(0, around - length / 2), duration - length)
  return { from: start, to: start + length }
}
