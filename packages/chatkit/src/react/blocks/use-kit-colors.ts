import { useEffect, useState } from 'react'
import type { KitColors } from '../../lazy/chart-theme.ts'

/** What cards need beside the colours of charts. */
export type CardColors = KitColors & {
  control: string
  accent: string
  onAccent: string
  link: string
  sunken: string
}

/** The colours around an element, read again when the theme changes; `undefined` until there is an element. */
export function useKitColors(element: Element | null): CardColors | undefined {
  const [colors, setColors] = useState<CardColors>()
  useEffect(() => {
    if (!element) return
    const read = () => setColors((before) => keep(before, colorsOf(element)))
    read()
    const media = ['(prefers-color-scheme: dark)', '(prefers-contrast: more)'].map((query) => matchMedia(query))
    for (const query of media) query.addEventListener('change', read)
    const root = element.closest('.ck-root')
    const observer = new MutationObserver(read)
    if (root) observer.observe(root, { attributes: true, attributeFilter: ['data-theme', 'class', 'style'] })
    return () => {
      for (const query of media) query.removeEventListener('change', read)
      observer.disconnect()
    }
  }, [element])
  return colors
}

function colorsOf(element: Element): CardColors {
  const style = getComputedStyle(element)
  const read = (name: string) => style.getPropertyValue(`--ck-${name}`).trim()
  return {
    text: read('text'),
    muted: read('muted'),
    line: read('line-color'),
    control: read('control'),
    accent: read('accent'),
    onAccent: read('on-accent'),
    link: read('link'),
    background: read('bg-raised'),
    sunken: read('bg-sunken'),
    font: style.fontFamily,
    isDark: /\bdark\b/.test(style.colorScheme),
    palette: read('palette').split(/\s*,\s*(?![^(]*\))/),
  }
}

/** The same object for the same colours, so that nothing is drawn again for nothing. */
function keep(before: CardColors | undefined, after: CardColors): CardColors {
  return before && JSON.stringify(before) === JSON.stringify(after) ? before : after
}
