/** Charts that a program of a sub-agent left, over a real server with the demo model: looked at, read and saved. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeViolations } from './axe.ts'
import { measureCharts } from './measure-charts.ts'
import { openServer, type World } from './open-server.ts'
import { outsideOf } from './outside-of.ts'

let world: World
const shots = join(import.meta.dirname, '../../../../.test-shots/chatkit/analysis')
beforeAll(async () => {
  await mkdir(shots, { recursive: true })
  world = await openServer({ isDemo: true })
})
afterAll(() => world?.[Symbol.asyncDispose]())

describe.each([
  {
    locale: 'en',
    prompt: 'Analyse some figures with a program',
    titles: ['Sales by month', 'Sales by region'],
    table: 'Table',
    save: 'Save',
    first: /^Jan\d+/,
  },
  {
    locale: 'zh-CN',
    prompt: '用程序分析一组数据',
    titles: ['每月销售额', '各地区销售额'],
    table: '表格',
    save: '保存',
    first: /^1月\d+/,
  },
])('[K14] [O13.3] charts of an analysis, $locale,', ({ locale, prompt, titles, table, save, first }) => {
  let conversation = ''
  beforeAll(async () => {
    await using opened = await world.open(`locale=${locale}`)
    await opened.chat.ask(prompt)
    conversation = await opened.chat.conversation()
  })

  test.each([1200, 420].flatMap((width) => ['light', 'dark'].map((theme) => [width, theme] as const)))(
    '[K17.1] at %d px, %s, they are drawn, named and fit, and axe finds nothing',
    async (width, theme) => {
      const size = { viewport: { width, height: 1800 }, reducedMotion: 'reduce' as const }
      await using opened = await world.open(`locale=${locale}&theme=${theme}&conversation=${conversation}`, size)
      const { page, foreign } = opened
      for (const title of titles)
        await page.getByRole('img', { name: title, exact: true }).locator('svg text').first().waitFor()
      expect(await page.locator('.ck-chart').count()).toBe(2)
      expect(await page.evaluate(outsideOf)).toEqual([])
      for (const { beyond, smallest } of await page.evaluate(measureCharts)) {
        expect(beyond).toEqual([])
        expect(smallest).toBeGreaterThanOrEqual(10.9)
      }
      expect(await axeViolations(page)).toEqual([])
      expect(foreign).toEqual([])
      await page.screenshot({ path: join(shots, `${locale}-${theme}-${width}.png`) })
    },
  )

  test('[K17.1] they have their numbers as a table, which can be saved', async () => {
    await using opened = await world.open(`locale=${locale}&conversation=${conversation}`)
    const { page } = opened
    await page.getByRole('img', { name: titles[0]! }).locator('svg').waitFor()
    const figure = page.locator('.ck-chart').first()
    await figure.getByRole('button', { name: table }).click()
    expect(await figure.locator('tbody tr').first().textContent()).toMatch(first)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      figure.getByRole('button', { name: save }).click(),
    ])
    expect(download.suggestedFilename()).toBe(`${titles[0]}.csv`)
  })
})

test('[O13.3.3] [O16.11] over onedragon each chart is an item of its own, right behind the tool that shows it', async () => {
  const size = { viewport: { width: 1200, height: 1800 }, reducedMotion: 'reduce' as const }
  await using opened = await world.open('locale=en&adapter=onedragon', size)
  const { page, chat, foreign } = opened
  await chat.ask('Analyse some figures with a program')
  for (const title of ['Sales by month', 'Sales by region'])
    await page.getByRole('img', { name: title, exact: true }).locator('svg text').first().waitFor()
  const items = await page
    .locator('.ck-message')
    .last()
    .locator('.ck-row-button, .ck-chart, .ck-md')
    .evaluateAll((found) => found.map(({ classList }) => (classList.contains('ck-chart') ? 'chart' : classList[0])))
  expect(items.slice(-4)).toEqual(['ck-row-button', 'chart', 'chart', 'ck-md'])
  expect(await page.evaluate(outsideOf)).toEqual([])
  expect(await axeViolations(page)).toEqual([])
  await page.screenshot({ path: join(shots, 'onedragon.png') })
  expect([foreign, await chat.problems()]).toEqual([[], []])
})
