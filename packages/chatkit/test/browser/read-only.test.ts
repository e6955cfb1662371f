import { emptyProjection, reduce } from '@parley/protocol'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exampleRun } from '../../../protocol/test/example-run.ts'
import { axeViolations } from './axe.ts'
import { findProblems } from './find-problems.ts'
import { openBrowser, settled, type TestBrowser } from './open-browser.ts'
import type { SceneName } from './page/scenes.ts'

let browser: TestBrowser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser[Symbol.asyncDispose]())

async function drawScene(page: Page, scene: SceneName): Promise<void> {
  await page.evaluate((name) => window.test.drawThread(name), scene)
  await settled(page)
}

test.each<SceneName>(['answer', 'agent', 'ask', 'decided', 'failed'])(
  '[K15.1] a conversation to be looked at offers nothing to do but to look and to copy (%s)',
  async (scene) => {
    await using opened = await browser.open('mode=assistant')
    const { page } = opened
    await drawScene(page, scene)
    expect(await page.locator('.ck-composer, .ck-header').count()).toBe(0)
    const offers = /Approve|Reject|Edit|Submit|Regenerate|Try again|Good answer|Bad answer|Run the plan|Köln\?/
    expect(await page.getByRole('button', { name: offers }).count()).toBe(0)
    expect(await page.locator('input:enabled, textarea').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Copy', exact: true }).count()).toBeGreaterThan(0)
    expect(await axeViolations(page)).toEqual([])
    expect(await page.evaluate(findProblems)).toEqual([])
  },
)

test('[K15.1] [W8] every prefix of a run can be looked at: it is what `reduce` makes of its events', async () => {
  await using opened = await browser.open('mode=assistant')
  const { page } = opened
  const show = async (events: number) => {
    const { turns } = exampleRun.slice(0, events).reduce(reduce, emptyProjection)
    await page.evaluate((given) => window.test.drawThread(given as never), turns as unknown[])
    return page.locator('.ck-list').innerText()
  }
  const whole = await show(exampleRun.length)
  const texts: string[] = []
  for (let events = 0; events <= exampleRun.length; events++) texts.push(await show(events))
  expect(texts[0]).toBe('')
  expect(texts.at(-1)).toBe(whole)
  // Back again, as somebody who scrubs does.
  expect(await show(7)).toBe(texts[7])
  expect(new Set(texts).size).toBeGreaterThan(3)
})

test('[K15.1] what is the same from one moment to the next stays in its place', async () => {
  await using opened = await browser.open('mode=assistant')
  const { page } = opened
  await drawScene(page, 'thousand')
  const kept = await page.evaluate(() => {
    const before = document.querySelector('.ck-message:last-of-type .ck-md')
    window.test.drawThread('thousand')
    return before === document.querySelector('.ck-message:last-of-type .ck-md')
  })
  expect(kept).toBe(true)
})
