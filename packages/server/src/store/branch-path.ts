import { isOnPath, type Span } from '@parley/protocol'

// The path of a branch: spans of turns in ascending order, none empty, of which the last is open while it is talked on.

export type Path = readonly Span[]

/** All turns before this one. */
export function before(path: Path, sequence: number): Span[] {
  return spansUpTo(path, sequence - 1)
}

/** The path of a branch that is left after this turn. */
export function closed(path: Path, last: number): Span[] {
  return spansUpTo(path, last)
}

/** Goes on with turns from this one on. */
export function goingOn(path: Path, next: number): Span[] {
  const end = path.at(-1)
  if (end && (end.to === null || end.to === next - 1)) return [...path.slice(0, -1), { ...end, to: null }]
  return [...path, { from: next, to: null }]
}

/** Without these turns. */
export function without(path: Path, sequences: readonly number[]): Span[] {
  return sequences.reduce((spans, one) => spans.flatMap((span) => split(span, one)), [...path])
}

export function isSamePath(one: Path, other: Path): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** How many of these turns are part of the first path, and not of the other. */
export function countLost(turns: readonly number[], from: Path, to: Path): number {
  return turns.filter((sequence) => isOnPath(from, sequence) && !isOnPath(to, sequence)).length
}

function spansUpTo(path: Path, last: number): Span[] {
  return path.filter(({ from }) => from <= last).map(({ from, to }) => ({ from, to: Math.min(to ?? last, last) }))
}

function split({ from, to }: Span, out: number): Span[] {
  if (out < from || (to !== null && out > to)) return [{ from, to }]
  const parts = [
    { from, to: out - 1 },
    { from: out + 1, to },
  ]
  return parts.filter((part) => part.to === null || part.from <= part.to)
}
