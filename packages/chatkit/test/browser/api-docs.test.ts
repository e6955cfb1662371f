/** The page that describes the interface for programs, of a real server. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { World } from '../../../server/test/wire/world.ts'
import { axeViolations } from './axe.ts'
import { launchChromium, PATIENCE_MS } from './open-browser.ts'

const shots = join(import.meta.dirname, '../../../../.test-shots/api-docs')
let browser: Browser
let world: World
beforeAll(async () => {
  await mkdir(shots, { recursive: true })
  world = await World.open()
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await world?.[Symbol.asyncDispose]()
})

const WIDE = { width: 1280, height: 900 }
const NARROW = { width: 390, height: 844 }

test.each([
  {
    name: 'en-light-wide',
    options: { locale: 'en-US', colorScheme: 'light', viewport: WIDE },
    says: 'Makes a session',
  },
  { name: 'zh-dark-narrow', options: { locale: 'zh-CN', colorScheme: 'dark', viewport: NARROW }, says: '创建会话' },
] as const)(
  '[W3] a route is found, opened and read, and leads to its records ($name)',
  async ({ name, options, says }) => {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    const problems: string[] = []
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    await page.goto(`${world.url}/docs/api`)
    await page.screenshot({ path: join(shots, `${name}-1-top.png`) })
    await page.locator('nav').getByRole('link', { name: 'sessions', exact: true }).click()
    const making = page.locator('details', { hasText: says }).first()
    await making.locator('summary').click()
    await expect.poll(() => making.locator('pre').innerText()).toContain('curl -X POST')
    await making.scrollIntoViewIfNeeded()
    await page.screenshot({ path: join(shots, `${name}-2-route.png`) })
    await page.locator('details', { hasText: '/api/sessions/{session_id}/messages' }).first().locator('summary').click()
    await page.locator('details[open] a[href="#TurnProjection"]').first().click()
    await page.locator('#TurnProjection').getByText('patch_sequence').waitFor()
    await page.screenshot({ path: join(shots, `${name}-3-record.png`) })
    expect(await axeViolations(page)).toEqual([])
    await page.evaluate(() => document.querySelectorAll('details').forEach((one) => (one.open = true)))
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    expect(problems).toEqual([])
    await context.close()
  },
)
