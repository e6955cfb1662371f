import {
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { indexAt, offsetsOf, shiftOf, type Drawn } from './virtual-rows.ts'

/** So much is drawn beyond what is in sight, and so far one scrolls until more is. */
const BEYOND_PX = 200
const STEP_PX = 100
/** How near the end more is asked for. */
const NEAR_PX = 600

export type VirtualListHandle = { show: (index: number) => void; focus: (index: number) => void }

type VirtualListProps<Item> = {
  items: readonly Item[]
  keyOf: (item: Item) => string
  /** How high a row is taken to be until it was drawn, in px. */
  guess: (item: Item) => number
  label: string
  /** The row that Tab leads to while none has the focus. */
  stop?: number
  /** How many there are, with those that were not read yet. */
  size?: number
  onNearEnd?: () => void
  className?: string
  ref?: Ref<VirtualListHandle>
  /** The first link or button of a row takes the focus; only that of the `isStop` row is a tab stop. */
  children: (item: Item, place: { index: number; isStop: boolean }) => ReactNode
}

/**
 * A list of which only what is in sight is drawn. Rows are measured; what is read does not move when rows come, go or grow
 * above it. Arrows, Home and End move the focus through all rows, drawn or not.
 */
export function VirtualList<Item>({ items, keyOf, guess, label, stop = 0, size, ...rest }: VirtualListProps<Item>) {
  const { onNearEnd, className = '', ref, children } = rest
  const scroller = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 0 })
  const [focused, setFocused] = useState<string | null>(null)
  const wanted = useRef<string | null>(null)
  const { heights, measured, observe } = useRowHeights()
  const offsets = useMemo(
    () => offsetsOf(items, (item) => heights.get(keyOf(item)) ?? guess(item)),
    [items, heights, measured, keyOf, guess],
  )
  const total = offsets[items.length]!

  const look = () => {
    const element = scroller.current
    if (!element) return
    const [top, height] = [Math.floor(element.scrollTop / STEP_PX) * STEP_PX, element.clientHeight]
    setView((before) => (before.top === top && before.height === height ? before : { top, height }))
  }
  useLayoutEffect(() => {
    look()
    const resized = new ResizeObserver(look)
    resized.observe(scroller.current!)
    return () => resized.disconnect()
  }, [])

  const first = indexAt(offsets, view.top - BEYOND_PX)
  const end = Math.min(items.length, indexAt(offsets, view.top + view.height + STEP_PX + BEYOND_PX) + 1)
  const held = focused === null ? -1 : items.findIndex((item) => keyOf(item) === focused)
  const stopAt = held === -1 ? Math.min(Math.max(stop, 0), items.length - 1) : held
  const shown = Array.from({ length: end - first }, (_, index) => first + index)
  if (stopAt >= 0 && stopAt < first) shown.unshift(stopAt)
  if (stopAt >= end) shown.push(stopAt)

  const drawn = useRef<Drawn>({ offsets, rows: [] })
  useLayoutEffect(() => {
    const element = scroller.current!
    const before = drawn.current
    drawn.current = { offsets, rows: items.slice(first, end).map((item, at) => [keyOf(item), offsets[first + at]!]) }
    if (before.offsets === offsets || element.scrollTop === 0) return
    const shift = shiftOf(before, { items, keyOf, offsets, top: element.scrollTop, height: element.clientHeight })
    if (shift === 0) return
    element.scrollTop += shift
    look()
  })
  useLayoutEffect(() => {
    if (wanted.current === null) return
    const row = [...scroller.current!.querySelectorAll<HTMLElement>('[data-key]')].find(
      ({ dataset }) => dataset['key'] === wanted.current,
    )
    wanted.current = null
    row?.querySelector<HTMLElement>('a, button')?.focus({ preventScroll: true })
  })
  useEffect(() => {
    if (view.height > 0 && total - view.top - view.height < NEAR_PX) onNearEnd?.()
  }, [total, view, onNearEnd])

  const show = (index: number) => {
    const element = scroller.current
    if (!element || index < 0 || index >= items.length) return
    const [top, bottom] = [offsets[index]!, offsets[index + 1]!]
    if (top < element.scrollTop) element.scrollTop = top
    else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight
    look()
  }
  const focus = (index: number) => {
    const item = items[Math.min(Math.max(index, 0), items.length - 1)]
    if (item === undefined) return
    wanted.current = keyOf(item)
    show(items.indexOf(item))
    setFocused(wanted.current)
  }
  useImperativeHandle(ref, () => ({ show, focus }))

  const onKeyDown = (event: KeyboardEvent) => {
    const inRow = (event.target as Element).matches('[data-key] a, [data-key] button:not([role=menuitem])')
    const to = { ArrowDown: held + 1, ArrowUp: held - 1, Home: 0, End: items.length - 1 }[event.key]
    if (!inRow || to === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    event.stopPropagation()
    focus(to)
  }
  const onBlur = ({ relatedTarget, currentTarget }: FocusEvent) => {
    if (!currentTarget.contains(relatedTarget)) setFocused(null)
  }
  return (
    <div
      ref={scroller}
      onScroll={() => flushSync(look)}
      className={`virtual-list min-h-0 grow overflow-y-auto ${className}`}
    >
      <div
        role="list"
        aria-label={label}
        className="relative"
        style={{ blockSize: total }}
        onKeyDown={onKeyDown}
        onBlur={onBlur}
      >
        {shown.map((index) => {
          const item = items[index]!
          const key = keyOf(item)
          return (
            <div
              key={key}
              ref={observe}
              role="listitem"
              aria-setsize={size ?? items.length}
              aria-posinset={index + 1}
              data-key={key}
              data-height={offsets[index + 1]! - offsets[index]!}
              onFocus={() => setFocused(key)}
              className="absolute inset-x-0"
              style={{ top: offsets[index] }}
            >
              {children(item, { index, isStop: index === stopAt })}
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** The heights of rows that were drawn, known before they are painted; `measured` grows with each that is new. */
function useRowHeights() {
  const [measured, setMeasured] = useState(0)
  const [watch] = useState(() => {
    const heights = new Map<string, number>()
    const observer = new ResizeObserver((entries) => {
      let news = 0
      for (const { target, borderBoxSize } of entries) {
        const { key, height: taken } = (target as HTMLElement).dataset
        const height = borderBoxSize[0]!.blockSize
        if (key === undefined || !target.isConnected) continue
        heights.set(key, height)
        if (Math.abs(Number(taken) - height) > 0.1) news++
      }
      if (news > 0) flushSync(() => setMeasured((before) => before + news))
    })
    const observe = (row: HTMLElement | null) => {
      if (!row) return undefined
      observer.observe(row)
      return () => observer.unobserve(row)
    }
    return { heights, observe }
  })
  return { ...watch, measured }
}
