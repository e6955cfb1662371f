/** Where an answer has it from: numbers in its text, a list below it, and the passage in its document. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeViolations } from './axe.ts'
import { findProblems } from './find-problems.ts'
import { openBrowser, settled, type TestBrowser } from './open-browser.ts'

let browser: TestBrowser
const shots = join(import.meta.dirname, '../../../../.test-shots/chatkit')
beforeAll(async () => {
  browser = await openBrowser()
  await mkdir(shots, { recursive: true })
})
afterAll(() => browser[Symbol.asyncDispose]())

test('[K14] a cited number opens its passage, marked and in view; Escape closes it and the focus returns', async () => {
  await using opened = await browser.open('scene=passages&mode=assistant&locale=zh-CN')
  const { page } = opened
  await settled(page)
  const number = page.getByRole('button', { name: '来源 7：退货政策' })
  await number.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: '退货政策' })
  const mark = dialog.locator('mark')
  await mark.waitFor()
  expect(await mark.textContent()).toContain('自签收之日起 30 天内')
  expect(await mark.evaluate(isInView)).toBe(true)
  expect(await dialog.locator('.ck-passage').textContent()).toMatch(/^# 退货政策[^]*已拆封的软件不予退货/)
  expect(await dialog.getByText('售后 › 期限 › 一般商品').count()).toBe(1)
  expect(await page.evaluate(() => window.scrollY)).toBe(0)
  await page.screenshot({ path: join(shots, 'passage-light-zh-CN.png') })
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect(await number.evaluate((element) => element === document.activeElement)).toBe(true)
  await page.keyboard.press('Space')
  await dialog.locator('mark').waitFor()
  expect(new URL(page.url()).hash).toBe('')
})

test('[K14] only numbers of sources are buttons; links, code and other brackets stay what they are', async () => {
  await using opened = await browser.open('scene=passages&mode=assistant')
  const { page } = opened
  await settled(page)
  expect(await page.locator('.ck-citation').allTextContents()).toEqual(['[7]', '[8]', '[9]'])
  const link = page.locator('.ck-md a.ck-link:not(.ck-citation)')
  expect(await link.count()).toBe(1)
  expect(await link.locator('button, a').count()).toBe(0)
  expect(await link.textContent()).toContain('returns [7]')
})

test('[K14] the list below the answer opens the same passage', async () => {
  await using opened = await browser.open('scene=passages&mode=assistant')
  const { page } = opened
  await settled(page)
  await page.getByRole('button', { name: 'Return policy › Deadlines › Ordinary goods' }).click()
  await page.getByRole('dialog').locator('mark').waitFor()
})

test('[K14] a passage is text: markup in a document is shown and does nothing', async () => {
  await using opened = await browser.open('scene=passages&mode=assistant')
  const { page } = opened
  await settled(page)
  await page.getByRole('button', { name: /^Source 7/ }).click()
  const passage = page.getByRole('dialog').locator('.ck-passage')
  await passage.locator('mark').waitFor()
  expect(await passage.textContent()).toContain('<img src=x onerror')
  expect(await passage.locator('img').count()).toBe(0)
  expect(await page.evaluate(() => window.__pwned)).toBeUndefined()
})

test('[K14] a document that is gone says so; one that could not be read can be asked for again', async () => {
  await using opened = await browser.open('scene=passages&mode=assistant')
  const { page } = opened
  await settled(page)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: /^Source 8/ }).click()
  await dialog.getByText('This document is no longer there.').waitFor()
  expect(await dialog.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^Source 9/ }).click()
  await dialog.getByText('The connection was lost.').waitFor()
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await dialog.locator('mark').waitFor()
})

test('[K14] sources without a number are no place for numbers in the text to lead to', async () => {
  await using opened = await browser.open('mode=assistant')
  const { page } = opened
  void page.evaluate(() => window.test.kit.send('Go'))
  await page.locator('.ck-waiting').waitFor()
  await page.evaluate(() => {
    const content = [{ title: 'Found', link: '', content: '', media: 'faq', icon: '', position: 0 }]
    window.test.push({ op: 'block', block: { type: 'Sources', key: 's', content } })
    window.test.push({ op: 'text', key: 't', text: 'So it is [1].' })
    window.test.finish()
  })
  await page.locator('.ck-results li').waitFor()
  await settled(page)
  expect(await page.locator('.ck-citation').count()).toBe(0)
  expect(await page.locator('.ck-results li').getAttribute('value')).toBeNull()
})

const looks = ['light', 'dark'].flatMap((theme) => ['en', 'zh-CN'].map((locale) => [theme, locale] as const))
test.each(looks)('[K17.1] cited sources and an open passage, %s, %s: contrast, names, axe', async (theme, locale) => {
  await using opened = await browser.open(`scene=passages&theme=${theme}&locale=${locale}&mode=assistant`)
  const { page } = opened
  await settled(page)
  await page.locator('.ck-results li').first().waitFor()
  expect(await page.evaluate(findProblems)).toEqual([])
  expect(await axeViolations(page)).toEqual([])
  await page.screenshot({ path: join(shots, `cited-${theme}-${locale}.png`) })
  await page.locator('.ck-citation').first().click()
  await page.locator('.ck-passage mark').waitFor()
  expect(await page.evaluate(findProblems)).toEqual([])
  expect(await axeViolations(page)).toEqual([])
  await page.screenshot({ path: join(shots, `passage-${theme}-${locale}.png`) })
})

test('[K17.1] cited sources and an open passage fit 320 px', async () => {
  const options = { viewport: { width: 320, height: 640 }, hasPolicy: false, reducedMotion: 'reduce' } as const
  await using opened = await browser.open('scene=passages', options)
  const { page } = opened
  await settled(page)
  await page.locator('.ck-results li').first().waitFor()
  const outside = () =>
    [...document.querySelectorAll('.ck-root, .ck-root *')]
      .filter((element) => !element.closest('.ck-hidden, .ck-row-title, svg'))
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1 && element.checkVisibility())
      .map((element) => `${element.tagName} ${element.className}`)
  expect(await page.evaluate(outside)).toEqual([])
  await page.screenshot({ path: join(shots, 'narrow-cited.png') })
  await page.locator('.ck-citation').first().click()
  await page.locator('.ck-passage mark').waitFor()
  expect(await page.evaluate(outside)).toEqual([])
  await page.screenshot({ path: join(shots, 'narrow-passage.png') })
})

/** Runs in the page. */
function isInView(element: Element): boolean {
  const body = element.closest('.ck-drawer-body')!.getBoundingClientRect()
  const { top, bottom } = element.getBoundingClientRect()
  return top >= body.top && bottom <= body.bottom
}
