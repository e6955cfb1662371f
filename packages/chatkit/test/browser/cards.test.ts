/** Cards and charts of a real server: they fit, can be read, and go with the theme. Only the model is a stand-in. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Frame, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeViolations } from './axe.ts'
import { measureCharts } from './measure-charts.ts'
import { openServer, type World } from './open-server.ts'
import { outsideOf } from './outside-of.ts'

let world: World
const shots = join(import.meta.dirname, '../../../../.test-shots/chatkit')
beforeAll(async () => {
  await mkdir(shots, { recursive: true })
  world = await openServer()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const call = (name: string, args: object) => JSON.stringify({ name, arguments: args })
const bars = {
  legend: {},
  xAxis: { data: ['January', 'February', 'March', 'April', 'May', 'June'], axisLabel: { fontSize: 7 } },
  yAxis: {},
  series: [
    { name: 'Orders', type: 'bar', data: [120_000, 98_000, 131_000, 90_000, 150_000, 160_000] },
    { name: 'Returns', type: 'line', data: [12_000, 9000, 13_000, 9900, 15_000, 11_000] },
  ],
}
/** Not among what the kit can draw. */
const sunburst = {
  series: [
    {
      type: 'sunburst',
      label: { fontSize: 6 },
      data: [
        { name: 'Rhine', value: 3 },
        { name: 'Main', value: 2 },
      ],
    },
  ],
}
const plain = `<h2>Levels</h2><p>As of <a href="#x">six</a>.</p><table><tr><th>Gauge<th>Level<tr><td>Kaub<td>1.24</table><button>Again</button>`
const authored = `<style>p{color:rgb(200, 30, 30);font-size:20px}</style><p>Red, as written</p><i>and the rest</i>`
/** Text for a white page, which says nothing of the ground. */
const unreadable = `<p style="color:#222">Dark words</p>`

/** One conversation with the given calls. */
async function conversationOf(...calls: string[]): Promise<string> {
  await using opened = await world.open('', { hasPolicy: false })
  for (const text of calls) await opened.chat.ask(text)
  return await opened.chat.conversation() // Before the page is closed.
}

async function frameOf(page: Page, text: string): Promise<Frame> {
  await page.frameLocator('iframe').getByText(text).filter({ visible: true }).first().waitFor()
  return page.frames().find((frame) => frame !== page.mainFrame())!
}

const switchTheme = (page: Page, theme: string) =>
  page.evaluate((name) => document.querySelector<HTMLElement>('.ck-root')!.setAttribute('data-theme', name), theme)
const lookOf = (frame: Frame, selector: string) =>
  frame.evaluate((name) => {
    const { color, fontSize, fontFamily } = getComputedStyle(document.querySelector(name)!)
    return { color, fontSize, fontFamily, scheme: getComputedStyle(document.documentElement).colorScheme }
  }, selector)

describe('[K16.5] cards', () => {
  test('[K16.5] a card is drawn in a frame of an opaque origin', async () => {
    const id = await conversationOf(call('RenderHtml', { html: plain, title: 'A card' }))
    await using opened = await world.open(`conversation=${id}`)
    const { page, foreign } = opened
    await frameOf(page, 'Levels')
    expect(await page.locator('iframe').getAttribute('sandbox')).toBe('allow-scripts')
    expect(await axeViolations(page)).toEqual([])
    expect(foreign).toEqual([])
  })

  test.each([320, 1200])(
    '[K17.4] a card without styles has the chat’s, follows its theme and fits %d px',
    async (width) => {
      const id = await conversationOf(call('RenderHtml', { html: plain, title: 'A card' }))
      const size = { viewport: { width, height: 800 }, hasPolicy: false }
      await using opened = await world.open(`conversation=${id}&theme=light`, size)
      const { page } = opened
      const frame = await frameOf(page, 'Levels')
      expect(await lookOf(frame, 'p')).toMatchObject({ color: 'rgb(27, 31, 38)', fontSize: '15px', scheme: 'light' })
      expect((await lookOf(frame, 'p')).fontFamily).toContain('system-ui')
      await frame.evaluate(() => Object.assign(window, { isTheSame: true }))
      await page.screenshot({ path: join(shots, `card-light-${width}.png`) })
      await switchTheme(page, 'dark')
      await expect.poll(() => lookOf(frame, 'p')).toMatchObject({ color: 'rgb(233, 235, 239)', scheme: 'dark' })
      expect(await lookOf(frame, 'a')).toMatchObject({ color: 'rgb(157, 188, 255)' })
      // Told, not loaded anew: what the reader did in the card stays.
      expect(await frame.evaluate(() => 'isTheSame' in window)).toBe(true)
      const root = await frame.evaluate(() => {
        const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.documentElement
        return [scrollWidth - clientWidth, scrollHeight - clientHeight]
      })
      expect(root).toEqual([0, 0])
      await page.screenshot({ path: join(shots, `card-dark-${width}.png`) })
    },
  )

  test('[K16.5] what a card’s author wrote wins over the base style, and the rest follows the theme', async () => {
    const id = await conversationOf(call('RenderHtml', { html: authored }))
    await using opened = await world.open(`conversation=${id}&theme=dark`, { hasPolicy: false })
    const frame = await frameOf(opened.page, 'Red, as written')
    expect(await lookOf(frame, 'p')).toMatchObject({ color: 'rgb(200, 30, 30)', fontSize: '20px' })
    expect(await lookOf(frame, 'i')).toMatchObject({ color: 'rgb(233, 235, 239)', scheme: 'dark' })
  })

  test('[K17.4] a card whose own colours cannot be read on dark stays on white', async () => {
    const id = await conversationOf(call('RenderHtml', { html: unreadable }))
    await using opened = await world.open(`conversation=${id}&theme=dark`, { hasPolicy: false })
    const frame = await frameOf(opened.page, 'Dark words')
    await expect.poll(() => lookOf(frame, 'p')).toMatchObject({ color: 'rgb(34, 34, 34)', scheme: 'light' })
  })

  test('[K17.4] where the page’s policy refuses scripts and styles, a card still goes with the theme', async () => {
    const id = await conversationOf(call('RenderHtml', { html: plain }))
    await using opened = await world.open(`conversation=${id}&theme=dark`)
    const { page } = opened
    const dark = await frameOf(page, 'Levels')
    expect((await lookOf(dark, 'p')).color).toBe('rgb(255, 255, 255)')
    await switchTheme(page, 'light')
    await expect
      .poll(async () => (await lookOf(await frameOf(page, 'Levels'), 'p')).color, { timeout: 20_000 })
      .toBe('rgb(0, 0, 0)')
  })
})

describe('[K14] charts that the server drew', () => {
  test.each([320, 420, 900, 1200])(
    '[K14] at %d px a chart fits, and no text in it is below 11 px, in the chat and in the server’s own drawing',
    async (width) => {
      const chart = call('RenderChart', { option: bars, title: 'Figures' })
      const id = await conversationOf(chart, call('RenderChart', { option: sunburst, title: 'Rivers' }))
      const size = { viewport: { width, height: 2000 }, hasPolicy: false }
      await using opened = await world.open(`conversation=${id}`, size)
      const { page } = opened
      await page.locator('.ck-chart-space svg text').first().waitFor()
      const frame = await frameOf(page, 'Rhine')
      expect(await page.evaluate(outsideOf)).toEqual([])
      const found = [...(await page.evaluate(measureCharts)), ...(await frame.evaluate(measureCharts))]
      expect(found).toHaveLength(2)
      for (const { beyond, smallest } of found) {
        expect(beyond).toEqual([])
        expect(smallest).toBeGreaterThanOrEqual(10.9)
      }
      const spare = await frame.evaluate(() => {
        const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.documentElement
        return [scrollWidth - clientWidth, scrollHeight - clientHeight]
      })
      expect(spare).toEqual([0, 0])
      await page.screenshot({ path: join(shots, `server-chart-${width}.png`) })
    },
  )

  test('[K17.4] they take the colours of the theme, also when it changes', async () => {
    const chart = call('RenderChart', { option: bars, title: 'Figures' })
    const id = await conversationOf(chart, call('RenderChart', { option: sunburst, title: 'Rivers' }))
    const size = { viewport: { width: 900, height: 2000 }, hasPolicy: false }
    await using opened = await world.open(`conversation=${id}&theme=light`, size)
    const { page } = opened
    const frame = await frameOf(page, 'Rhine')
    const drawn = () => frame.evaluate(() => getComputedStyle(document.querySelector('svg')!).color)
    await page.locator('.ck-chart-space svg path[fill="#2458d3"]').first().waitFor({ state: 'attached' })
    expect(await drawn()).toBe('rgb(27, 31, 38)')
    await switchTheme(page, 'dark')
    await page.locator('.ck-chart-space svg path[fill="#7ea6ff"]').first().waitFor({ state: 'attached' })
    await expect.poll(drawn).toBe('rgb(233, 235, 239)')
    await page.screenshot({ path: join(shots, 'server-chart-dark.png') })
  })

  test('[K17.1] a chart of the server has its numbers as a table', async () => {
    const id = await conversationOf(call('RenderChart', { option: bars, title: 'Figures' }))
    await using opened = await world.open(`conversation=${id}`)
    const { page } = opened
    await page.getByRole('img', { name: 'Figures' }).locator('svg').waitFor()
    await page.getByRole('button', { name: 'Table' }).click()
    expect(await page.locator('.ck-chart tbody tr').first().textContent()).toBe('January12000012000')
    expect(await axeViolations(page)).toEqual([])
  })
})
