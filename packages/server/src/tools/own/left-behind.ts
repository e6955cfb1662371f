// As they are now: tools may change them for everybody.
const activeResources = process.getActiveResourcesInfo.bind(process)
const nextTurn = setImmediate

/** What has just ended may take so long to be gone, and so many turns where a busy machine lets this process wait. */
const SETTLE_MS = 20
const SETTLE_TURNS = 50

/** What keeps this process from ending by itself: a kind of thing each, some more than once. */
export function whatHolds(): string[] {
  return activeResources()
}

/** Whether something holds this process that did not hold it `before`: timers, connections, programs. */
export async function hasLeftBehind(before: readonly string[]): Promise<boolean> {
  const until = performance.now() + SETTLE_MS
  for (let turn = 0; turn < SETTLE_TURNS || performance.now() < until; turn++) {
    // Also what was begun in the last moment has its turn to show.
    await new Promise<void>((resolve) => nextTurn(resolve))
    if (!isMore(whatHolds(), before)) return false
  }
  return true
}

function isMore(now: readonly string[], before: readonly string[]): boolean {
  const count = (list: readonly string[], kind: string) => list.filter((each) => each === kind).length
  return now.some((kind) => count(now, kind) > count(before, kind))
}
