import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, settled, type TestBrowser } from './open-browser.ts'

let browser: TestBrowser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser[Symbol.asyncDispose]())

test('[K9] a context is a chip that can be removed; its title stands above the message, its data nowhere', async () => {
  await using opened = await browser.open('')
  const { page } = opened
  await settled(page)
  await page.evaluate(() =>
    window.test.kit.injectApplicationContext({ title: 'Order 7', data: { secret: 'not for the page' } }),
  )
  const chip = page.locator('.ck-context')
  await chip.getByText('Order 7').waitFor()
  void page.evaluate(() => window.test.kit.send('What is this?'))
  await page.locator('.ck-message-context', { hasText: 'Order 7' }).waitFor()
  await page.evaluate(() => window.test.finish())
  expect(await page.content()).not.toContain('not for the page')
  await chip.getByRole('button').click()
  expect(await chip.count()).toBe(0)
  expect(await page.locator('.ck-message-context').textContent()).toBe('Order 7')
})

test('[K9] a default context has no remove button, and stands again when another is removed', async () => {
  await using opened = await browser.open('context=Page%201')
  const { page } = opened
  await settled(page)
  const chip = page.locator('.ck-context')
  await chip.getByText('Page 1').waitFor()
  expect(await chip.getByRole('button').count()).toBe(0)
  await page.evaluate(() => window.test.kit.injectApplicationContext({ title: 'Order 7', data: 7 }))
  await chip.getByText('Order 7').waitFor()
  await chip.getByRole('button').click()
  await chip.getByText('Page 1').waitFor()
})
