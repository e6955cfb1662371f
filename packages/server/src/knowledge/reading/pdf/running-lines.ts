import type { Line } from './page-lines.ts'

/** How many of a page's first and last lines may be its header and footer. */
const AT_EDGE = 2
const MIN_PAGES = 3
const MIN_SHARE = 0.5

/** Without what stands at the edge of most pages, numbers aside: it would be in the middle of sentences. */
export function withoutRunningLines(pages: readonly (readonly Line[])[]): Line[][] {
  const counts = new Map<string, number>()
  for (const lines of pages)
    for (const shape of new Set(edgesOf(lines).map(shapeOf))) counts.set(shape, (counts.get(shape) ?? 0) + 1)
  const least = Math.max(MIN_PAGES, pages.length * MIN_SHARE)
  return pages.map((lines) => {
    const edges = new Set(edgesOf(lines))
    return lines.filter((line) => !edges.has(line) || (counts.get(shapeOf(line)) ?? 0) < least)
  })
}

function edgesOf(lines: readonly Line[]): Line[] {
  return [...lines.slice(0, AT_EDGE), ...lines.slice(-AT_EDGE)]
}

function shapeOf({ text, first }: Line): string {
  return `${text.replace(/[\d一二三四五六七八九十百]+/g, '#')} ${Math.round(first / 4)}`
}
