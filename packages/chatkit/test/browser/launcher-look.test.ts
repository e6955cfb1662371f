/** What the tag's attributes do to the launcher and its panel, and how both look: pictures to be looked at, and axe. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeViolations } from './axe.ts'
import { openSite, type Site } from './open-site.ts'

let site: Site
const shots = join(import.meta.dirname, '../../../../.test-shots/launcher')
beforeAll(async () => {
  site = await openSite()
  await mkdir(shots, { recursive: true })
})
afterAll(() => site?.[Symbol.asyncDispose]())

const launcher = (page: Page) => page.locator('parley-launcher .launcher')
const tag = { 'token-url': '/chat-token', title: 'Rhine Bicycles' }

test('greeting, questions, colour, icon, place and language are the tag’s', async () => {
  await using visit = await site.visit('ann')
  const { page, warnings } = await visit.open('/', {
    ...tag,
    accent: '#0a7d4f',
    greeting: 'Good day. **What** is broken?',
    questions: 'Where is my order? | How do I pay?',
    icon: 'question',
    position: 'left',
    language: 'zh-CN',
  })
  const button = launcher(page)
  await button.waitFor()
  expect((await button.boundingBox())!.x).toBeLessThan(100)
  expect(await button.evaluate((it) => getComputedStyle(it).backgroundColor)).toBe('rgb(10, 125, 79)')
  await button.click()
  await page.locator('.ck-onboarding strong', { hasText: 'What' }).waitFor()
  await page.getByRole('button', { name: '发送' }).waitFor()
  await page.locator('.ck-suggestion', { hasText: 'How do I pay?' }).click()
  await page.locator('.ck-md', { hasText: 'You said How do I pay?' }).waitFor()
  const accent = await page
    .locator('.ck-root')
    .evaluate((root) => getComputedStyle(root).getPropertyValue('--ck-accent'))
  expect(accent.trim()).toBe('#0a7d4f')
  expect(warnings).toEqual([])
})

test('[K17.4] a page styles launcher, panel and parts of the kit through the launcher', async () => {
  await using visit = await site.visit('ann')
  const { page } = await visit.open('/', tag)
  await page.addStyleTag({
    content: `parley-launcher::part(launcher) { background: rgb(1, 2, 3) } parley-launcher::part(panel) { border-radius: 3px }
      parley-launcher::part(root) { --ck-accent: rgb(4, 5, 6) } parley-launcher::part(user-message) { outline: 7px solid red }
      parley-launcher::part(composer) { padding-block-end: 31px }`,
  })
  await launcher(page).click()
  await page.locator('.ck-composer-text').fill('hello')
  await page.locator('.ck-composer-text').press('Enter')
  await page.locator('.ck-md', { hasText: 'You said hello' }).waitFor()
  const styleOf = (selector: string, name: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((it, wanted) => getComputedStyle(it).getPropertyValue(wanted), name)
  expect(await styleOf('parley-launcher .launcher', 'background-color')).toBe('rgb(1, 2, 3)')
  expect(await styleOf('parley-launcher .panel', 'border-top-left-radius')).toBe('3px')
  expect(await styleOf('.ck-root', '--ck-accent')).toBe('rgb(4, 5, 6)')
  expect(await styleOf('.ck-message[data-role=User]', 'outline-width')).toBe('7px')
  expect(await styleOf('.ck-composer', 'padding-bottom')).toBe('31px')
})

test.each([320, 420, 900, 1200])('[KB8] at %i pixels neither has a fault that axe knows', async (width) => {
  for (const theme of ['light', 'dark'])
    for (const locale of ['en', 'zh-CN']) {
      await using visit = await site.visit('ann', { viewport: { width, height: 720 } })
      const { page } = await visit.open('/', {
        ...tag,
        theme,
        locale,
        lang: locale,
        questions: 'Where is my order? | How do I pay?',
      })
      const name = `${width}-${theme}-${locale}`
      await launcher(page).waitFor()
      await page.screenshot({ path: join(shots, `${name}-closed.png`) })
      await launcher(page).click()
      await page.locator('.ck-suggestion').first().waitFor()
      await page.screenshot({ path: join(shots, `${name}-open.png`) })
      expect(await axeViolations(page)).toEqual([])
    }
})
