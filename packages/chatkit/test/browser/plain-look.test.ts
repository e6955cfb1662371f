import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeViolations } from './axe.ts'
import { findProblems } from './find-problems.ts'
import { openBrowser, settled, type TestBrowser } from './open-browser.ts'
import { outsideOf } from './outside-of.ts'

let browser: TestBrowser
const shots = join(import.meta.dirname, '../../../../.test-shots/chatkit')
beforeAll(async () => {
  browser = await openBrowser()
  await mkdir(shots, { recursive: true })
})
afterAll(() => browser[Symbol.asyncDispose]())

test.each([
  ['light', 1100],
  ['dark', 390],
])('[K3.1] without authors, own messages at the end: %s, %d px', async (theme, width) => {
  await using opened = await browser.open(`scene=work&mode=assistant&plain&theme=${theme}`, {
    viewport: { width, height: 844 },
  })
  const { page } = opened
  await settled(page)
  expect(await page.locator('.ck-avatar, .ck-author, .ck-avatar-space').count()).toBe(0)
  const [own, answer, box] = await page.evaluate(() =>
    ['[data-role=User] .ck-body', '[data-role=Assistant] .ck-body', '.ck-composer-box'].map((name) => {
      const { left, right } = document.querySelector(name)!.getBoundingClientRect()
      return { left: Math.round(left), right: Math.round(right) }
    }),
  )
  // In line with the text box, at either end.
  expect([own!.right, answer!.left]).toEqual([box!.right, box!.left])
  expect(own!.left).toBeGreaterThan(answer!.left)
  // Whose message it is, is still told.
  await page.getByRole('article', { name: 'Mira, 14:20' }).waitFor()
  expect(await page.evaluate(outsideOf)).toEqual([])
  expect(await axeViolations(page)).toEqual([])
  expect(await page.evaluate(findProblems)).toEqual([])
  await page.screenshot({ path: join(shots, `plain-${theme}-${width}.png`) })
})

test('[K3.1] the host’s own words stand below the message they are for, and below the composer', async () => {
  await using opened = await browser.open('scene=answer&mode=assistant')
  const { page } = opened
  await settled(page)
  await page.evaluate(() =>
    window.test.kit.update({
      renderAfterMessage: ({ messageID }) => (messageID === 'a1' ? 'parley-b took over here' : null),
      afterComposer: 'Only for the team',
    }),
  )
  const row = page.locator('.ck-row', { hasText: 'parley-b took over here' })
  expect(await row.getAttribute('data-row')).toBe('a1')
  const [composer, after] = await page.evaluate(() => {
    const thread = document.querySelector('.ck-thread')!
    return [thread.lastElementChild!.className, thread.lastChild!.textContent]
  })
  expect([composer, after]).toEqual(['ck-composer', 'Only for the team'])
})

test('[K13] the button that deletes a conversation is seen when its row is pointed at or has the focus', async () => {
  await using opened = await browser.open('scene=answer&mode=assistant')
  const { page } = opened
  await page.getByRole('button', { name: 'History' }).click()
  const rows = page.locator('.ck-history-row')
  const opacity = (i: number) =>
    rows
      .nth(i)
      .locator('.ck-icon-button')
      .evaluate((button) => getComputedStyle(button).opacity)
  await rows.nth(1).waitFor()
  await page.mouse.move(0, 0)
  expect([await opacity(0), await opacity(1)]).toEqual(['0', '0'])
  await rows.nth(1).hover()
  expect([await opacity(0), await opacity(1)]).toEqual(['0', '1'])
  await page.mouse.move(0, 0)
  await rows.nth(0).getByRole('button').first().focus()
  await page.keyboard.press('Tab')
  expect(await opacity(0)).toBe('1')
  expect(await page.evaluate(() => document.activeElement!.getAttribute('aria-label'))).toMatch(/^Delete: /)
})

test('[K13] where nothing can be pointed with, it is always seen', async () => {
  await using opened = await browser.open('scene=answer&mode=assistant', { hasTouch: true, isMobile: true })
  const { page } = opened
  await page.getByRole('button', { name: 'History' }).click()
  const button = page.locator('.ck-history-row .ck-icon-button').first()
  await button.waitFor()
  expect(await button.evaluate((element) => getComputedStyle(element).opacity)).toBe('1')
})
