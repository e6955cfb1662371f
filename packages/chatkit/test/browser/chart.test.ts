/** Charts: downloaded at first use, drawn under the strict policy, with their numbers as a table. */
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeViolations } from './axe.ts'
import { drawFrames } from './draw-frames.ts'
import { findProblems } from './find-problems.ts'
import { measureCharts } from './measure-charts.ts'
import { outsideOf } from './outside-of.ts'
import { openBrowser, settled, type TestBrowser } from './open-browser.ts'

let browser: TestBrowser
const shots = join(import.meta.dirname, '../../../../.test-shots/chatkit')
beforeAll(async () => {
  browser = await openBrowser()
  await mkdir(shots, { recursive: true })
})
afterAll(() => browser[Symbol.asyncDispose]())

const TALL = { viewport: { width: 900, height: 2400 } }
const figure = (page: Page, title: string) => page.locator('.ck-chart').filter({ hasText: title })
const picture = (page: Page, title: string) => page.getByRole('article').getByRole('img', { name: title, exact: true })
const rowsOf = (page: Page, title: string) => figure(page, title).locator('tbody tr').allTextContents()

describe('[K14] charts', () => {
  test('[K14] a plot is drawn in every kind that the reader picks, and its numbers are a table', async () => {
    await using opened = await browser.open('scene=chart&mode=assistant', TALL)
    const { page } = opened
    await picture(page, 'Levels').locator('svg path').first().waitFor({ state: 'attached' })
    const drawing = () => picture(page, 'Levels').locator('svg').innerHTML()
    const seen = new Set([await drawing()])
    for (const kind of ['Column', 'Pie', 'Donut', 'Line']) {
      await figure(page, 'Levels').getByRole('button', { name: kind }).click()
      await page.waitForFunction(
        (name) =>
          [...document.querySelectorAll('.ck-chart [aria-pressed=true]')].some(
            ({ textContent }) => textContent === name,
          ),
        kind,
      )
      seen.add(await drawing())
    }
    expect(seen.size).toBeGreaterThan(3)
    await figure(page, 'Levels').getByRole('button', { name: 'Table' }).click()
    expect(await rowsOf(page, 'Levels')).toEqual(['Mon1.32.1', 'Tue1.242.03', 'Wed1.2'])
    expect(await picture(page, 'Levels').count()).toBe(0)
    await figure(page, 'Levels').getByRole('button', { name: 'Table' }).click()
    await picture(page, 'Levels').locator('svg').waitFor()
  })

  test('[K14] options of ECharts are drawn below each other, with a table where they hold plain numbers', async () => {
    await using opened = await browser.open('scene=chart&mode=assistant', TALL)
    const { page } = opened
    await picture(page, 'Freight').locator('svg').waitFor()
    await picture(page, 'Scores').locator('svg').waitFor()
    for (const title of ['Freight', 'Scores']) await figure(page, title).getByRole('button', { name: 'Table' }).click()
    expect(await rowsOf(page, 'Freight')).toEqual(['Kaub12090', 'Köln200170', 'Bonn150140'])
    expect(await rowsOf(page, 'Scores')).toEqual(['Depth4', 'Speed7', 'Cost3'])
    // What cannot be drawn is shown as it came.
    expect(await page.locator('.ck-chart code').filter({ hasText: 'hologram' }).count()).toBe(1)
    await figure(page, 'Empty').getByText('No data').waitFor()
  })

  test('[K14] a chart can be enlarged, follows the size of its place and leaves nothing behind', async () => {
    await using opened = await browser.open('scene=chart&mode=assistant')
    const { page } = opened
    const small = picture(page, 'Levels')
    await small.locator('svg').waitFor()
    await figure(page, 'Levels').getByRole('button', { name: 'Enlarge' }).click()
    const large = page.getByRole('dialog').getByRole('img', { name: 'Levels' })
    await large.locator('svg').waitFor()
    expect((await large.boundingBox())!.width).toBeGreaterThan((await small.boundingBox())!.width)
    await page.keyboard.press('Escape')
    await large.waitFor({ state: 'detached' })
    await page.setViewportSize({ width: 500, height: 800 })
    await page.waitForFunction(() => {
      const place = document.querySelector('.ck-chart-space')!
      return (
        Math.abs(place.getBoundingClientRect().width - place.querySelector('svg')!.getBoundingClientRect().width) < 2
      )
    })
    await page.evaluate(() => window.test.kit.createConversation())
    await page.locator('.ck-chart').first().waitFor({ state: 'detached' })
    expect(await page.evaluate(() => window.test.errors)).toEqual([])
  })

  test('[K14] a host draws charts its own way; what it leaves is a table', async () => {
    await using opened = await browser.open('mode=assistant', TALL)
    const { page } = opened
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.evaluate(() => {
      const { kit } = window.test
      kit.update({ renderChart: ({ type, title }) => (type === 'ECharts' ? undefined : `${type}: ${title}`) })
      return kit.loadConversation('chart')
    })
    await figure(page, 'Levels').getByText('Line: Levels').waitFor()
    await figure(page, 'Levels').getByRole('button', { name: 'Pie' }).click()
    await figure(page, 'Levels').getByText('Pie: Levels').waitFor()
    expect(await rowsOf(page, 'Freight')).toHaveLength(3)
    expect(asked.filter((url) => url.includes('draw-chart'))).toEqual([])
  })

  test('[K17.4] charts take the colours of the theme, also when it changes', async () => {
    await using opened = await browser.open('scene=chart&mode=assistant&theme=light', TALL)
    const { page } = opened
    const line = picture(page, 'Levels').locator('svg path[stroke="#2458d3"]').first()
    await line.waitFor({ state: 'attached' })
    await page.evaluate(() => window.test.kit.update({ theme: 'dark' }))
    await picture(page, 'Levels').locator('svg path[stroke="#7ea6ff"]').first().waitFor({ state: 'attached' })
    expect(await line.count()).toBe(0)
  })

  test.each([320, 420, 900, 1200])(
    '[K17.1] at %d px charts fit their place and no text in them is below 11 px',
    async (width) => {
      await using opened = await browser.open('scene=chart&mode=assistant', {
        viewport: { width, height: 3200 },
        reducedMotion: 'reduce',
      })
      const { page } = opened
      await page.locator('.ck-chart-space svg text').nth(12).waitFor()
      await page.locator('.ck-chart-space svg').nth(3).waitFor()
      expect(await page.evaluate(outsideOf)).toEqual([])
      const charts = await page.evaluate(measureCharts)
      expect(charts).toHaveLength(4)
      for (const { beyond, smallest } of charts) {
        expect(beyond).toEqual([])
        expect(smallest).toBeGreaterThanOrEqual(11)
      }
      await page.screenshot({ path: join(shots, `chart-${width}.png`) })
    },
  )

  test('[K16.3] the table is shown when the library cannot be loaded', async () => {
    await using opened = await browser.open('mode=assistant')
    const { page } = opened
    await page.route(/draw-chart/, (route) => route.abort())
    const failed = page.waitForEvent('requestfailed')
    await page.evaluate(() => window.test.kit.loadConversation('chart'))
    await failed
    expect(await rowsOf(page, 'Levels')).toHaveLength(3)
    expect(await page.locator('.ck-chart-space').count()).toBe(0)
    expect(await page.evaluate(() => window.test.errors)).toEqual([])
  })

  // Without a policy: the kit alone must hold. With one: it must work under it.
  test.each([false, true])(
    '[K16.4] an option loads no picture, opens no page and inserts no HTML (host policy: %s)',
    async (hasPolicy) => {
      await using opened = await browser.open('scene=hostile-chart&mode=assistant', { ...TALL, hasPolicy })
      const { page, foreign } = opened
      const refused: string[] = []
      page.on('console', (message) => /Content Security Policy/i.test(message.text()) && refused.push(message.text()))
      const charts = page.locator('.ck-chart-space')
      await charts.nth(5).locator('svg').waitFor()
      // What cannot be drawn in any time is shown as what it holds.
      await figure(page, 'Calendar').locator('table').waitFor()
      const popups: unknown[] = []
      page.on('popup', (popup) => popups.push(popup))
      for (const chart of await charts.all()) {
        const { x, y, width, height } = (await chart.boundingBox())!
        await page.mouse.move(x + width / 2, y + height / 2)
        await page.mouse.click(x + width / 2, y + height / 2)
        await page.mouse.click(x + 60, y + 20)
      }
      await drawFrames(page, 20)
      const found = await page.evaluate(() => ({
        pwned: window.__pwned,
        images: document.querySelectorAll('.ck-chart :is(img, image, a, textarea, pattern, foreignObject)').length,
        errors: window.test.errors,
      }))
      expect(found).toMatchObject({ images: 0, errors: [] })
      expect(found.pwned).toBeUndefined()
      expect([foreign, popups, refused]).toEqual([[], [], []])
    },
  )

  test('[K14] what a chart shows can be saved: the picture, or its numbers, in which nothing is a formula', async () => {
    await using opened = await browser.open('scene=chart&mode=assistant&theme=dark', TALL)
    const { page } = opened
    await picture(page, 'Freight').locator('svg').waitFor()
    const saved = async () => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        figure(page, 'Freight').getByRole('button', { name: 'Save' }).click(),
      ])
      return { name: download.suggestedFilename(), text: await readFile((await download.path())!, 'utf8') }
    }
    const svg = await saved()
    expect(svg.name).toBe('Freight.svg')
    expect(svg.text).toMatch(/^<svg [^>]*>\s*<rect width="100%" height="100%" fill="rgb/)
    expect(svg.text).not.toMatch(/<script|foreignObject|javascript:/)
    await figure(page, 'Freight').getByRole('button', { name: 'Table' }).click()
    const csv = await saved()
    expect(csv.name).toBe('Freight.csv')
    expect(csv.text.split('\r\n').slice(1)).toEqual(['Kaub,120,90', 'Köln,200,170', 'Bonn,150,140', ''])
    // As somebody else might have written it.
    await page.evaluate(() => {
      const cells = document.querySelectorAll('.ck-data tbody td')
      cells[0]!.textContent = '=HYPERLINK("//evil.example","x")'
      cells[1]!.textContent = '-5'
    })
    expect((await saved()).text).toContain(`"'=HYPERLINK(""//evil.example"",""x"")",-5,90`)
  })

  test('[K17.1] reduced motion: charts do not move', async () => {
    await using opened = await browser.open('scene=chart&mode=assistant', { ...TALL, reducedMotion: 'reduce' })
    const { page } = opened
    await picture(page, 'Levels').locator('svg path').first().waitFor({ state: 'attached' })
    const drawing = () => picture(page, 'Levels').locator('svg').innerHTML()
    const first = await drawing()
    await drawFrames(page, 12)
    expect(await drawing()).toBe(first)
  })
})

const looks = ['light', 'dark'].flatMap((theme) => ['en', 'zh-CN'].map((locale) => [theme, locale] as const))
test.each(looks)('[K17.1] charts, %s, %s: contrast, names, axe', async (theme, locale) => {
  await using opened = await browser.open(`scene=chart&theme=${theme}&locale=${locale}&mode=assistant`, {
    ...TALL,
    reducedMotion: 'reduce',
  })
  const { page } = opened
  await settled(page)
  await page.locator('.ck-chart-space svg').nth(3).waitFor()
  expect(await page.evaluate(findProblems)).toEqual([])
  expect(await axeViolations(page)).toEqual([])
  await page.screenshot({ path: join(shots, `chart-${theme}-${locale}.png`) })
})
