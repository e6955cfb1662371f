import type { Span } from '@parley/protocol'

/** Whether all turns of a path are on the other one as well. Spans ascend. */
export function covers(known: readonly Span[], path: readonly Span[]): boolean {
  return path.every(({ from, to }) => endOf(known, from) >= (to ?? Infinity))
}

/** How far one can go from this turn without leaving the path. */
function endOf(path: readonly Span[], start: number): number {
  return path.reduce((end, { from, to }) => (from <= end + 1 ? Math.max(end, to ?? Infinity) : end), start - 1)
}
