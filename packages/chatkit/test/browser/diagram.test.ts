/** Mermaid diagrams: only inside a frame of an opaque origin, only near the reader, their source where that fails. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeViolations } from './axe.ts'
import { drawFrames } from './draw-frames.ts'
import { findProblems } from './find-problems.ts'
import { openBrowser, settled, type TestBrowser } from './open-browser.ts'
import { FLOW } from './page/rich-scenes.ts'

let browser: TestBrowser
const shots = join(import.meta.dirname, '../../../../.test-shots/chatkit')
beforeAll(async () => {
  browser = await openBrowser()
  await mkdir(shots, { recursive: true })
})
afterAll(() => browser[Symbol.asyncDispose]())

const OPEN = { hasPolicy: false, viewport: { width: 900, height: 1300 } }
const frames = (page: Page) => page.locator('.ck-diagram-frame')
const drawn = (page: Page) => page.locator('.ck-diagram-frame:not(.ck-diagram-hidden)')

describe('[K16.5] diagrams', () => {
  test('[K16.5] a diagram is drawn in an opaque frame without network, its source is one click away', async () => {
    await using opened = await browser.open('scene=diagram&mode=assistant', OPEN)
    const { page, foreign } = opened
    await drawn(page).nth(1).waitFor()
    expect(await drawn(page).first().getAttribute('sandbox')).toBe('allow-scripts')
    expect((await drawn(page).first().getAttribute('srcdoc'))!.length).toBeLessThan(5000)
    const inside = page.frameLocator('.ck-diagram-frame').first()
    await inside.getByText('Read the gauges').waitFor()
    const { height } = (await drawn(page).first().boundingBox())!
    expect(height).toBeGreaterThanOrEqual(80)
    expect(height).toBeLessThanOrEqual(1200)
    const button = page.getByRole('button', { name: 'Source' }).first()
    await button.click()
    expect(await page.locator('.ck-diagram').first().locator('code').textContent()).toContain(FLOW.split('\n')[1]!)
    await button.click()
    await drawn(page).nth(1).waitFor()
    // The third one is broken: it stays code.
    expect(await page.locator('.ck-diagram').nth(2).locator('code').textContent()).toContain('A[[[')
    expect(foreign).toEqual([])
    expect(await page.evaluate(() => window.test.errors)).toEqual([])
  })

  test('[K16.5] under a policy without unsafe-inline the source stays, and the host is told once', async () => {
    await using opened = await browser.open('scene=diagram&mode=assistant')
    const { page } = opened
    await page.waitForFunction(() => window.test.reported.length > 0)
    await page.waitForFunction(() => document.querySelectorAll('iframe').length === 0)
    expect(await page.locator('.ck-diagram code').first().isVisible()).toBe(true)
    expect(await page.evaluate(() => window.test.reported)).toEqual(['unsupported'])
  })

  test('[K16.3] the source stays when Mermaid cannot be loaded', async () => {
    await using opened = await browser.open('mode=assistant', OPEN)
    const { page } = opened
    await page.route(/mermaid/, (route) => route.abort())
    const failed = page.waitForEvent('requestfailed')
    await page.evaluate(() => window.test.kit.loadConversation('diagram'))
    await failed
    expect(await page.locator('.ck-diagram code').first().isVisible()).toBe(true)
    expect(await frames(page).count()).toBe(0)
    expect(await page.evaluate(() => [window.test.errors, window.test.reported])).toEqual([[], []])
  })

  test('[K16.3] of many diagrams only those near the reader have a frame', async () => {
    await using opened = await browser.open('scene=diagrams&mode=assistant', {
      ...OPEN,
      viewport: { width: 900, height: 700 },
    })
    const { page } = opened
    await drawn(page).first().waitFor()
    expect(await page.locator('.ck-diagram').count()).toBe(12)
    expect(await frames(page).count()).toBeLessThan(4)
    await page.locator('.ck-list').evaluate((list) => list.scrollTo({ top: 0 }))
    await page.locator('.ck-diagram').first().locator('.ck-diagram-frame:not(.ck-diagram-hidden)').waitFor()
    expect(await frames(page).count()).toBeLessThan(9)
  })

  test('[K13] a diagram that comes back into view keeps its place', async () => {
    await using opened = await browser.open('scene=diagram&mode=assistant', OPEN)
    const { page } = opened
    await drawn(page).nth(1).waitFor()
    const heights = () => page.locator('.ck-diagram').evaluateAll((all) => all.map(({ clientHeight }) => clientHeight))
    await drawFrames(page)
    const before = await heights()
    // Another conversation and back: everything is mounted again, and measured before any frame could have drawn.
    await page.evaluate(() => window.test.kit.loadConversation('rtl'))
    await page.locator('.ck-diagram').first().waitFor({ state: 'detached' })
    const again = page.evaluate(
      () =>
        new Promise<number[]>((resolve) => {
          const look = () => [...document.querySelectorAll('.ck-diagram')].map(({ clientHeight }) => clientHeight)
          const observer = new MutationObserver(() => look().length === 3 && (observer.disconnect(), resolve(look())))
          observer.observe(document.body, { childList: true, subtree: true })
          void window.test.kit.loadConversation('diagram')
        }),
    )
    expect((await again).slice(0, 2)).toEqual(before.slice(0, 2))
    await drawn(page).nth(1).waitFor()
    expect((await heights()).slice(0, 2)).toEqual(before.slice(0, 2))
  })

  test('[K16.5] a diagram runs nothing, links nowhere and loads nothing', async () => {
    await using opened = await browser.open('mode=assistant', OPEN)
    const { page, foreign } = opened
    const hostile = `%%{init: {"securityLevel": "loose", "htmlLabels": true, "themeCSS": "body{background:url(https://evil.example/css.png)}"}}%%
flowchart LR
  A["<img src=https://evil.example/x.png onerror=parent.postMessage({type:'ck:bridge',action:'stolen'},'*')>"] --> B
  click A "javascript:parent.postMessage({type:'ck:bridge',action:'stolen'},'*')"
  click B href "https://evil.example/open" _blank`
    void page.evaluate(() => window.test.kit.send('Draw'))
    await page.locator('.ck-waiting').waitFor()
    await page.evaluate((text) => {
      window.test.push({ op: 'text', key: '0', text: `\`\`\`mermaid\n${text}\n\`\`\`\n` })
      window.test.finish()
    }, hostile)
    await drawn(page).waitFor()
    // A picture may stand there; the frame's policy keeps it from loading.
    expect(await page.frameLocator('.ck-diagram-frame').locator('body :is(script, a, [onerror])').count()).toBe(0)
    const popups: unknown[] = []
    page.on('popup', (popup) => popups.push(popup))
    const { x, y, width, height } = (await drawn(page).boundingBox())!
    for (const part of [0.3, 0.5, 0.7]) await page.mouse.click(x + width * part, y + height / 2)
    await drawFrames(page, 20)
    expect([foreign, popups, await page.evaluate(() => window.test.bridged)]).toEqual([[], [], []])
  })

  test('[K17.4] a diagram follows the theme', async () => {
    await using opened = await browser.open('scene=diagram&mode=assistant&theme=light', OPEN)
    const { page } = opened
    await drawn(page).first().waitFor()
    const paper = () =>
      page
        .frameLocator('.ck-diagram-frame')
        .first()
        .locator('html')
        .evaluate((html) => getComputedStyle(html).backgroundColor)
    expect(await paper()).toBe('rgb(246, 247, 249)')
    await page.evaluate(() => window.test.kit.update({ theme: 'dark' }))
    await expect.poll(paper).toBe('rgb(30, 33, 39)')
  })
})

const looks = ['light', 'dark'].flatMap((theme) => ['en', 'zh-CN'].map((locale) => [theme, locale] as const))
test.each(looks)('[K17.1] diagrams, %s, %s: contrast, names, axe', async (theme, locale) => {
  await using opened = await browser.open(`scene=diagram&theme=${theme}&locale=${locale}&mode=assistant`, OPEN)
  const { page } = opened
  await settled(page)
  await drawn(page).nth(1).waitFor()
  expect(await page.evaluate(findProblems)).toEqual([])
  expect(await axeViolations(page)).toEqual([])
  await page.screenshot({ path: join(shots, `diagram-${theme}-${locale}.png`) })
})
