import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_LENGTH } from '../../src/model/max-length.ts'
import { openBrowser, type TestBrowser } from './open-browser.ts'

let browser: TestBrowser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser[Symbol.asyncDispose]())

const lastMessage = (page: Page) =>
  page.evaluate(
    () => window.test.kit.store.getSnapshot().messages.findLast(({ role }) => role.type === 'User')?.content,
  )

/** How each part of the kit's own is found. */
const PARTS: Record<string, string> = {
  ContextChip: '.ck-composer > .ck-context',
  TextBox: '.ck-composer-text',
  PlanningSwitch: '.ck-composer-box button[aria-label="Plan first"]',
  AttachButton: '.ck-composer-box button[aria-label="Attach a file"]',
  SendButton: '.ck-send',
  ComposerHint: '.ck-hint',
}

const drawn = async (page: Page) => {
  const found = await Promise.all(Object.values(PARTS).map((selector) => page.locator(selector).count()))
  return Object.keys(PARTS).filter((_, i) => found[i] === 1)
}

describe('parts of the composer that the host has replaced', () => {
  test.each([...Object.keys(PARTS), 'Attachments'])(
    '%s alone is the host’s; all others are the kit’s',
    async (name) => {
      await using opened = await browser.open(`part=${name}&planning&context=Page`)
      const { page } = opened
      await page.locator('.ck-composer-box').waitFor()
      expect(await drawn(page)).toEqual(Object.keys(PARTS).filter((other) => other !== name))
      expect(await page.locator('.ck-composer [data-own]').getAttribute('data-own')).toBe(name)
      expect(await page.evaluate(() => window.test.errors)).toEqual([])
    },
  )

  test('with a send button of the host’s, button and Enter send, the button stops, and the hint is the kit’s', async () => {
    await using opened = await browser.open('part=SendButton')
    const { page } = opened
    const box = page.getByRole('textbox', { name: 'Message' })
    const go = page.getByRole('button', { name: 'Go', exact: true })
    expect(await go.isDisabled()).toBe(true)
    await box.fill('by button')
    await go.click()
    await page.getByRole('button', { name: 'Halt' }).click()
    await page.getByText('Stopped').first().waitFor()
    expect(await lastMessage(page)).toMatchObject([{ content: 'by button' }])
    expect(await box.inputValue()).toBe('')
    await box.fill('by key')
    await box.press('Enter')
    await page.getByRole('button', { name: 'Halt' }).waitFor()
    expect(await lastMessage(page)).toMatchObject([{ content: 'by key' }])
    await page.evaluate(() => window.test.finish())
    await box.fill('x'.repeat(MAX_LENGTH + 1))
    await page.getByText('The message is too long.').waitFor()
    expect(await go.isDisabled()).toBe(true)
  })

  test('a text box of the host’s writes what the kit’s button sends, and F6 finds it', async () => {
    await using opened = await browser.open('part=TextBox&part=ComposerHint&scene=answer')
    const { page } = opened
    await page.locator('.ck-row').first().waitFor()
    await page.locator('.ck-list').focus()
    await page.keyboard.press('F6')
    await page.keyboard.type('from an own box')
    await page.getByText('own hint: none').waitFor()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('button', { name: 'Stop answering' }).waitFor()
    expect(await lastMessage(page)).toMatchObject([{ content: 'from an own box' }])
    await page.evaluate(() => window.test.finish())
    await page.getByRole('textbox', { name: 'own TextBox' }).fill('x'.repeat(MAX_LENGTH + 1))
    await page.getByText('own hint: too_long').waitFor()
  })

  test('the kit’s own parts work inside of the host’s', async () => {
    await using opened = await browser.open('part=wrapped')
    const { page } = opened
    await page.locator('.mine').getByRole('textbox', { name: 'Message' }).fill('wrapped')
    await page.locator('.mine').getByRole('button', { name: 'Send', exact: true }).click()
    await page.locator('.mine').getByRole('button', { name: 'Stop answering' }).waitFor()
    expect(await lastMessage(page)).toMatchObject([{ content: 'wrapped' }])
  })
})
