/** The commit points of a run, as `ARCHITECTURE.md` numbers them, each with the moment before and after its commit. */
export type Point =
  `${'before' | 'after'}:${'C1' | 'C2a' | 'C2b' | 'C3' | 'C4' | 'C5' | 'C6' | 'C7' | 'C8' | 'C9' | 'C10' | 'C11' | 'C12'}`

/** Called around commit points. `stored` resolves once everything up to the point is committed, where that is not waited for. */
export type PointHook = (point: Point, stored?: () => Promise<void>) => Promise<void>
