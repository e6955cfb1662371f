import type { RecordedEvent } from '@parley/protocol/rest'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useSessionHints } from '../../data/live/session-hints.ts'
import { type EventsPage, runEventsQuery } from '../../data/runs.ts'
import { Scrubber } from '../../timeline/scrubber.ts'
import { type Timeline, timelineOf } from '../../timeline/timeline.ts'

export type LoadedRun = {
  events: readonly RecordedEvent[]
  timeline: Timeline
  scrubber: Scrubber
  /** Text increments up to this number may be gone; `null`: none of this run's. */
  prunedTo: number | null
  isLoading: boolean
  isLive: boolean
}

const NOBODY: readonly EventsPage[] = []

/** Reads the record page by page, draws after the first, and follows a run that is under way. */
export function useRun(session_id: string, chain: readonly string[], isUnderWay: boolean) {
  const queries = useQueryClient()
  const query = useInfiniteQuery(runEventsQuery(session_id, chain))
  const { data, error, isFetching, fetchNextPage, refetch } = query
  const pages = data?.pages ?? NOBODY
  const events = useMemo(() => pages.flatMap(({ items }) => items), [pages])
  const last = pages.at(-1)
  const isLast = last?.place.run_id === chain.at(-1)
  const isWhole = last !== undefined && last.next === null && isLast
  useEffect(() => {
    if (last && !isWhole && !isFetching && !error) void fetchNextPage()
  }, [last, isWhole, isFetching, error, fetchNextPage])

  const isLive = isUnderWay && isWhole
  useSessionHints(session_id, isUnderWay, () => {
    if (!isFetching) void fetchNextPage()
  })
  const hasEnded = events.findLast(({ type }) => type === 'chat:end' || type === 'chat:start')?.type === 'chat:end'
  useEffect(() => {
    if (isUnderWay && hasEnded) void queries.invalidateQueries({ queryKey: ['runs', session_id] })
  }, [isUnderWay, hasEnded, queries, session_id])

  const now = useNow(isUnderWay && !hasEnded)
  const timeline = useMemo(() => timelineOf(events, now), [events, now])
  const before = useRef<Scrubber | undefined>(undefined)
  const scrubber = useMemo(() => new Scrubber(session_id, events, before.current), [session_id, events])
  useEffect(() => {
    before.current = scrubber
  }, [scrubber])
  const floor = last?.floor ?? 0
  const prunedTo = events[0] && floor >= events[0].event_seq ? floor : null
  const run: LoadedRun = { events, timeline, scrubber, prunedTo, isLoading: !isWhole, isLive }
  return { run, error: events.length === 0 ? error : null, isReady: last !== undefined, retry: () => void refetch() }
}

/** The present, while something is under way. */
function useNow(isOn: boolean): number | undefined {
  const [now, setNow] = useState<number>()
  useEffect(() => {
    if (!isOn) return
    const tick = () => setNow(Date.now())
    tick()
    const timer = setInterval(tick, 1_000)
    return () => clearInterval(timer)
  }, [isOn])
  return isOn ? now : undefined
}
