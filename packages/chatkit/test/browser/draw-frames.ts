import type { Page } from 'playwright-core'

/** Resolves when the page has drawn so many frames: what was about to happen at once has happened. */
export async function drawFrames(page: Page, count = 2): Promise<void> {
  await page.evaluate(async (frames) => {
    for (let i = 0; i < frames; i++) await new Promise((resolve) => requestAnimationFrame(resolve))
  }, count)
}
