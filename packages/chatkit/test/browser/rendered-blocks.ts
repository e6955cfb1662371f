/** Which blocks of a text React has drawn again, told by React itself: its hook for developer tools sees every commit. */
import type { Page } from 'playwright-core'

/** One commit: the offsets of all blocks it leaves in the page, and of those that it drew. */
export type Commit = { all: number[]; drawn: number[] }

declare global {
  interface Window {
    commits: Commit[]
  }
}

/** Loads the page again, with `window.commits` listening. */
export async function watchCommits(page: Page): Promise<void> {
  await page.addInitScript(listenToCommits)
  await page.reload()
  await page.waitForFunction(() => 'test' in window)
}

/** Runs in the page, before anything else, and so stands on nothing outside itself. */
function listenToCommits(): void {
  type Fiber = {
    flags: number
    memoizedProps: { block?: { key?: unknown; parts?: unknown } } | null
    alternate: Fiber | null
    child: Fiber | null
    sibling: Fiber | null
  }
  const PERFORMED_WORK = 1
  const commits: Commit[] = []

  const walk = (fiber: Fiber, isChanged: boolean, found: Commit): void => {
    const block = fiber.memoizedProps?.block
    if (block?.parts && typeof block.key === 'number') {
      if (!found.all.includes(block.key)) found.all.push(block.key)
      const isDrawn = isChanged && (fiber.alternate === null || (fiber.flags & PERFORMED_WORK) > 0)
      if (isDrawn && !found.drawn.includes(block.key)) found.drawn.push(block.key)
    }
    // What React did not come to in this commit still has the marks of an earlier one.
    const isBelowChanged = isChanged && (fiber.alternate === null || fiber.child !== fiber.alternate.child)
    for (let child = fiber.child; child; child = child.sibling) walk(child, isBelowChanged, found)
  }

  const hook = {
    renderers: new Map(),
    supportsFiber: true,
    inject: () => 1,
    onScheduleFiberRoot: () => {},
    onCommitFiberUnmount: () => {},
    onPostCommitFiberRoot: () => {},
    onCommitFiberRoot(_: number, root: { current: Fiber }) {
      const found: Commit = { all: [], drawn: [] }
      walk(root.current, true, found)
      if (found.all.length > 0) commits.push(found)
    },
  }
  Object.assign(window, { commits, __REACT_DEVTOOLS_GLOBAL_HOOK__: hook })
}
