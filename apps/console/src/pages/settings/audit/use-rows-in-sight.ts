import { type RefCallback, useCallback, useRef, useState } from 'react'
import { flushSync } from 'react-dom'

/** So many rows are drawn beyond what is in sight, on either side. */
const BEYOND = 20
/** How near the end more is asked for. */
const NEAR_PX = 600

type InSight = {
  /** For the element that holds the rows, which are all of one height. */
  ref: RefCallback<HTMLElement>
  first: number
  end: number
  /** The room of the rows that are not drawn, in px. */
  above: number
  below: number
}

/** Of so many rows in an area that scrolls: those to draw. */
export function useRowsInSight(count: number, onNearEnd: () => void): InSight {
  const [view, setView] = useState({ first: 0, end: 2 * BEYOND, height: 0 })
  const nearEnd = useRef(onNearEnd)
  nearEnd.current = onNearEnd
  const ref = useCallback((body: HTMLElement | null) => {
    const area = body?.closest<HTMLElement>('.overflow-y-auto')
    if (!body || !area) return undefined
    const look = () => {
      const height = body.querySelector<HTMLElement>('[role=row]')?.offsetHeight ?? 0
      if (height === 0) return
      const top = area.getBoundingClientRect().top - body.getBoundingClientRect().top
      // In steps, so that not every pixel draws anew.
      const at = Math.floor(top / height / BEYOND) * BEYOND
      const [first, end] = [Math.max(0, at - BEYOND), at + Math.ceil(area.clientHeight / height) + 2 * BEYOND]
      setView((before) =>
        before.first === first && before.end === end && before.height === height ? before : { first, end, height },
      )
      if (area.scrollHeight - area.scrollTop - area.clientHeight < NEAR_PX) nearEnd.current()
    }
    const onScroll = () => flushSync(look)
    const resized = new ResizeObserver(look)
    for (const element of [body, area]) resized.observe(element)
    area.addEventListener('scroll', onScroll)
    return () => {
      resized.disconnect()
      area.removeEventListener('scroll', onScroll)
    }
  }, [])
  const end = Math.min(count, view.end)
  const first = Math.min(view.first, end)
  return { ref, first, end, above: first * view.height, below: (count - end) * view.height }
}
