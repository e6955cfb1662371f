import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, settled, type TestBrowser } from './open-browser.ts'

// [K1] The oldest React that the kit works with. Everything else here runs with the newest.

let browser: TestBrowser
beforeAll(async () => {
  browser = await openBrowser({ react: join(import.meta.dirname, '../../../../test/react-18/node_modules') })
})
afterAll(() => browser[Symbol.asyncDispose]())

test('[K1] React 18.2 draws an answer while it streams', async () => {
  await using opened = await browser.open('mode=assistant')
  const { page } = opened
  await settled(page)
  expect(await page.evaluate(() => window.test.reactVersion)).toBe('18.2.0')
  void page.evaluate(() => window.test.kit.send('Hi'))
  await page.locator('.ck-dot').first().waitFor()
  await page.evaluate(() => {
    window.test.push({ op: 'text_delta', key: 'a', delta: 'Half **bold' })
    window.test.push({ op: 'text_delta', key: 'a', delta: '** and more' })
  })
  await page.locator('.ck-md strong', { hasText: 'bold' }).waitFor()
  await page.evaluate(() => window.test.finish())
  await page.getByRole('button', { name: 'Send' }).waitFor()
  expect(await page.evaluate(() => window.test.errors)).toEqual([])
})

test.each(['answer', 'agent', 'ask', 'frames', 'failed'])('[K1] React 18.2 draws the scene %s', async (scene) => {
  await using opened = await browser.open(`scene=${scene}&mode=assistant`)
  const { page } = opened
  await settled(page)
  await page.evaluate(() =>
    document.querySelectorAll<HTMLElement>('[aria-expanded=false]').forEach((button) => button.click()),
  )
  await settled(page)
  expect(await page.locator('.ck-message').count()).toBeGreaterThan(0)
  expect(await page.evaluate(() => window.test.errors)).toEqual([])
})
