import type { Span } from './branch.ts'

/** Whether the turn with this `sequence` is part of the branch with this path. */
export function isOnPath(path: readonly Span[], sequence: number): boolean {
  return path.some(({ from, to }) => sequence >= from && sequence <= (to ?? Infinity))
}
