import type { Source } from '@parley/protocol'
import { printable } from './printable.ts'

/** Where an answer has it from, in one line: `[1] Returns › Deadlines · [2] …`. */
export function sourceList(sources: readonly Source[]): string {
  return sources
    .map(({ ref, title, category, headings }) => {
      const way = [title ?? category, ...headings.filter((heading) => heading !== title)]
      return `[${ref}] ${printable(way.join(' › ')).replaceAll(/\s+/g, ' ')}`
    })
    .join(' · ')
}
