import { useLayoutEffect, useRef, useState } from 'react'
import { useMarkdownOptions } from './markdown-options.ts'
import { useLoaded } from './use-loaded.ts'

/** A formula; its source until the renderer has been loaded, and where it cannot be drawn. */
export function MathView({ tex, isDisplay, isOpen }: { tex: string; isDisplay: boolean; isOpen: boolean }) {
  const { loadMath } = useMarkdownOptions()
  const renderer = useLoaded(isOpen ? undefined : loadMath)
  const target = useRef<HTMLSpanElement>(null)
  const [isDrawn, setDrawn] = useState(false)
  useLayoutEffect(() => {
    const element = target.current
    if (!renderer || !element) return
    try {
      element.replaceChildren()
      renderer(element, tex, { display: isDisplay })
      setDrawn(true)
    } catch {
      element.replaceChildren()
      setDrawn(false) // Not a formula that it knows: the source stays.
    }
  }, [renderer, tex, isDisplay])
  return (
    <span className={isDisplay ? 'ck-math ck-math-display' : 'ck-math'} data-drawn={isDrawn || undefined}>
      {isDrawn ? null : <code className="ck-math-source">{tex}</code>}
      {renderer ? <span ref={target} /> : null}
    </span>
  )
}
