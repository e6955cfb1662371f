import { useCallback, useEffect, useState } from 'react'
import { useSearchParams } from 'wouter'
import type { RecordedEvent } from '@parley/protocol/rest'

export type View = 'people' | 'model' | 'raw'
export const VIEWS: readonly View[] = ['people', 'model', 'raw']

/** How long an event is shown while the run plays: as long as it took, but never long. */
const SHOWN_MS = { min: 40, max: 700 }
const WRITE_MS = 250

/** Where somebody looks: at this many events, or at the end, wherever that is. The address keeps it. */
export function usePlayhead(events: readonly RecordedEvent[]) {
  const [params, setParams] = useSearchParams()
  const asked = params.get('at')
  const [at, setAt] = useState<number | null>(asked === null ? null : Number(asked))
  const [isPlaying, setPlaying] = useState(false)
  const shown = params.get('view')
  const view = VIEWS.find((one) => one === shown) ?? 'people'
  const count = at === null ? events.length : countUpTo(events, at)

  const move = useCallback(
    (next: number) => {
      const to = Math.min(Math.max(next, 1), events.length)
      setAt(to >= events.length ? null : (events[to - 1]?.event_seq ?? null))
    },
    [events],
  )

  useEffect(() => {
    const timer = setTimeout(() => {
      setParams(
        (before) => {
          const next = new URLSearchParams(before)
          if (at === null) next.delete('at')
          else next.set('at', String(at))
          return next
        },
        { replace: true },
      )
    }, WRITE_MS)
    return () => clearTimeout(timer)
  }, [at, setParams])

  const [here, following] = [events[count - 1], events[count]]
  useEffect(() => {
    if (!isPlaying || !here || !following) return
    const pause = Math.min(Math.max(following.at - here.at, SHOWN_MS.min), SHOWN_MS.max)
    const timer = setTimeout(() => {
      move(count + 1)
      if (count + 1 >= events.length) setPlaying(false)
    }, pause)
    return () => clearTimeout(timer)
  }, [isPlaying, here, following, count, events.length, move])

  const play = () => {
    if (!isPlaying && count >= events.length) move(1)
    setPlaying(!isPlaying)
  }
  const show = (next: View) =>
    setParams(
      (before) => {
        const changed = new URLSearchParams(before)
        changed.set('view', next)
        return changed
      },
      { replace: true },
    )
  const stopAndMove = useCallback(
    (next: number) => {
      setPlaying(false)
      move(next)
    },
    [move],
  )
  return { count, move: stopAndMove, isPlaying, play, view, show }
}

export type Playhead = ReturnType<typeof usePlayhead>

function countUpTo(events: readonly RecordedEvent[], event_seq: number): number {
  const after = events.findIndex((event) => event.event_seq > event_seq)
  return Math.max(after === -1 ? events.length : after, Math.min(1, events.length))
}
