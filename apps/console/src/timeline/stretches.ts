import type { Bar } from './bars.ts'

export type Stretch = { from: number; to: number }

/** A model or a tool is at work. An `Agent` call lasts as long as its sub-agent, whatever that waits for. */
export function isBusy(bar: Bar): boolean {
  return bar.kind === 'model' || (bar.kind === 'tool' && !bar.isFork)
}

/** What the stretches cover, each moment once, in order. */
export function union(stretches: readonly Stretch[]): Stretch[] {
  const merged: Stretch[] = []
  for (const { from, to } of stretches.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else merged.push({ from, to })
  }
  return merged
}

/** What is left of the stretches where none of the others is. */
export function without(stretches: readonly Stretch[], others: readonly Stretch[]): Stretch[] {
  return union(others).reduce<Stretch[]>(
    (left, cut) =>
      left
        .flatMap(({ from, to }) => [
          { from, to: Math.min(to, cut.from) },
          { from: Math.max(from, cut.to), to },
        ])
        .filter(({ from, to }) => to > from),
    union(stretches),
  )
}

export function lengthOf(stretches: readonly Stretch[]): number {
  return union(stretches).reduce((sum, { from, to }) => sum + to - from, 0)
}
