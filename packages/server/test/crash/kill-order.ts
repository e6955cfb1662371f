import type { Point } from '../../src/runs/points.ts'

/** Where a server dies, by its own hand. */
export type KillOrder = {
  kill: Point
  /** How often the point is reached before that. */
  nth: number
  /** Whoever reaches it earlier waits there for the end, so that all die at the same point. */
  holds: boolean
}
