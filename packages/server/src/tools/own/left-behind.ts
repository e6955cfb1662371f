// As they are now: tools may change them for everybody.
const activeResources = process.getActiveResourcesInfo.bind(process)
const nextTurn = setImmediate

/** What has just ended may take so long to be gone. */
const SETTLE_MS = 20

/** What keeps this process from ending by itself: a kind of thing each, some more than once. */
export function whatHolds(): string[] {
  return activeResources()
}

/** Whether something holds this process that did not hold it `before`: timers, connections, programs. */
export async function hasLeftBehind(before: readonly string[]): Promise<boolean> {
  const until = performance.now() + SETTLE_MS
  // First what was begun in the last moment has its turn to show.
  do await new Promise<void>((resolve) => nextTurn(resolve))
  while (isMore(whatHolds(), before) && performance.now() < until)
  return isMore(whatHolds(), before)
}

function isMore(now: readonly string[], before: readonly string[]): boolean {
  const count = (list: readonly string[], kind: string) => list.filter((each) => each === kind).length
  return now.some((kind) => count(now, kind) > count(before, kind))
}
