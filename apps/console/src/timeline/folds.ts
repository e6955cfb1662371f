import type { Bar } from './bars.ts'
import { isBusy, union } from './stretches.ts'

/** A long stretch in which no model and no tool was at work; drawn as a gap that says how long it was. */
export type Fold = { from: number; to: number }

const FOLDED_SHARE = 0.2

export function foldsOf(bars: readonly Bar[], duration: number): Fold[] {
  const busy = union(bars.filter(isBusy))
  const edges = [0, ...busy.flatMap(({ from, to }) => [from, to]), duration]
  const folds: Fold[] = []
  for (let at = 0; at < edges.length; at += 2) {
    const [from, to] = [edges[at]!, edges[at + 1]!]
    if (to - from > FOLDED_SHARE * duration) folds.push({ from, to })
  }
  return folds
}
