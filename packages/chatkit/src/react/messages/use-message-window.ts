import { useEffect, useLayoutEffect, useMemo, useRef, useState, type RefObject } from 'react'
import { offsetOf, windowAt, windowFromEnd, windowOf, type RowWindow } from './row-window.ts'
import { ScrollAnchor } from './scroll-anchor.ts'

/** Lists up to this length are drawn whole, so that find-in-page and printing reach all of it. */
const WINDOWED_ABOVE = 100
const ESTIMATED_HEIGHT = 160
/** Drawn beyond the view, so that a quick scroll does not show gaps. */
const MARGIN_PX = 600
const ASSUMED_VIEW_PX = 900

export type MessageWindow = RowWindow & {
  isWindowed: boolean
  isFollowing: boolean
  /** Measures rows: give it every row when it is mounted, and take it back when it goes. */
  observer: ResizeObserver | undefined
  followEnd: () => void
  showAll: () => void
  scrollToRow: (index: number) => void
}

/** Which rows of the list are drawn, and where the list stands. */
export function useMessageWindow(keys: readonly string[], scroller: RefObject<HTMLElement | null>): MessageWindow {
  const heights = useMemo(() => new Map<string, number>(), [])
  const anchor = useRef<ScrollAnchor | undefined>(undefined)
  const [wantsAll, setWantsAll] = useState(false)
  const [isFollowing, setFollowing] = useState(true)
  const [range, setRange] = useState({ start: 0, end: 0 })
  const isWindowed = keys.length > WINDOWED_ABOVE && !wantsAll
  const heightOf = (index: number): number => heights.get(keys[index]!) ?? ESTIMATED_HEIGHT
  const column = { count: keys.length, heightOf }

  const update = () => {
    const element = scroller.current
    if (!element || !anchor.current) return
    setFollowing(anchor.current.isFollowing)
    if (!isWindowed) return
    const { scrollTop, clientHeight } = element
    const { start, end } = windowOf(column, scrollTop - MARGIN_PX, scrollTop + clientHeight + MARGIN_PX)
    setRange((old) => (old.start === start && old.end === end ? old : { start, end }))
  }
  const latest = useRef(update)
  latest.current = update

  const observer = useMemo(() => {
    if (typeof ResizeObserver === 'undefined') return undefined
    return new ResizeObserver((entries) => {
      for (const { target, borderBoxSize } of entries) {
        const key = (target as HTMLElement).dataset.row
        if (key !== undefined && target.isConnected && borderBoxSize[0]) heights.set(key, borderBoxSize[0].blockSize)
      }
      anchor.current?.settle()
      latest.current()
    })
  }, [heights])

  useEffect(() => {
    const element = scroller.current
    if (!element) return
    anchor.current ??= new ScrollAnchor(element)
    anchor.current.settle()
    const onScroll = () => {
      anchor.current?.onScroll()
      latest.current()
    }
    element.addEventListener('scroll', onScroll, { passive: true })
    observer?.observe(element)
    return () => {
      element.removeEventListener('scroll', onScroll)
      observer?.unobserve(element)
    }
  }, [observer, scroller])

  // Rows came, went or were replaced: what is read stays where it is, or the end is followed.
  useLayoutEffect(() => anchor.current?.settle())

  // At the end, the rows that fill the view upwards: new ones are drawn at once. Elsewhere, the rows in view.
  const rows = () => {
    if (!isWindowed) return { start: 0, end: keys.length, before: 0, after: 0 }
    if (!isFollowing) return windowAt(column, range)
    return windowFromEnd(column, (scroller.current?.clientHeight ?? ASSUMED_VIEW_PX) + MARGIN_PX)
  }
  return {
    ...rows(),
    isWindowed,
    isFollowing,
    observer,
    followEnd: () => {
      anchor.current?.follow()
      latest.current()
    },
    showAll: () => setWantsAll(true),
    scrollToRow: (index) => {
      scroller.current?.scrollTo({ top: offsetOf(index, heightOf) })
      anchor.current?.release()
      latest.current()
    },
  }
}
