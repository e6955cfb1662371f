import { useEffect, useState } from 'react'

/** About a screen ahead of the reader. */
const MARGIN = '800px 0px'

/** True once an element has come near what is seen of the list around it; it stays true. */
export function useIsNear(element: Element | null): boolean {
  const [isNear, setNear] = useState(false)
  useEffect(() => {
    if (!element || isNear) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true)
      },
      { root: element.closest('.ck-list'), rootMargin: MARGIN },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [element, isNear])
  return isNear
}
