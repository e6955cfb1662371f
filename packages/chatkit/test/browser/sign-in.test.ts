/** How people come in, with a real browser: by an invitation link, and with OpenID Connect at a real provider. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Invitation } from '@parley/protocol/rest'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestProvider } from '../../../server/test/auth/provider.ts'
import { openBoth } from '../../../server/test/auth/with-provider.ts'
import type { World } from '../../../server/test/wire/world.ts'
import { launchChromium, PATIENCE_MS } from './open-browser.ts'

const shots = join(import.meta.dirname, '../../../../.test-shots/sign-in')
let browser: Browser
let provider: TestProvider
let world: World
beforeAll(async () => {
  await mkdir(shots, { recursive: true })
  ;[browser, { provider, world }] = await Promise.all([launchChromium(), openBoth('sqlite')])
  world.otherwise(({ question }) => ({ text: `You said: ${question}` }))
})
afterAll(async () => {
  await browser?.close()
  await world?.[Symbol.asyncDispose]()
  await provider?.[Symbol.asyncDispose]()
})

async function newPage(): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-US' })
  context.setDefaultTimeout(PATIENCE_MS)
  return context.newPage()
}

async function talk(page: Page, message: string): Promise<void> {
  await page.getByRole('textbox').fill(message)
  await page.keyboard.press('Enter')
  await page.locator('.ck-md', { hasText: `You said: ${message}` }).waitFor()
}

const me = (page: Page) => page.evaluate(async () => (await fetch('/api/auth/me')).json() as Promise<object>)

test('[W12.16] from the start page to the provider and back, into a chat of one’s own', async () => {
  provider.accounts['anna-1'] = { email: 'anna@house.example', email_verified: true }
  provider.who = 'anna-1'
  const page = await newPage()
  await page.goto(world.url)
  const link = page.getByRole('link', { name: 'Sign in with The <House>' })
  await link.waitFor()
  await page.screenshot({ path: join(shots, 'start.png') })
  await link.click()
  await page.waitForURL(`${world.url}/`)
  await talk(page, 'hello from Anna')
  expect(await me(page)).toMatchObject({ username: 'anna@house.example', role: 'member' })
  // Neither the owner's button nor the sign-in is there for a member.
  expect(await page.locator('#crash').isVisible()).toBe(false)
  expect(await link.isVisible()).toBe(false)
  expect(await page.evaluate(() => document.cookie)).toBe('')
  await page.screenshot({ path: join(shots, 'member.png') })
})

test('[W12.15.1] an invitation link leads into a chat that is empty, whoever else has talked', async () => {
  await world.newSession({ intent: 'a plan of the owner' })
  const { url } = (await world.rest<Invitation>('POST', '/api/users', { body: { username: 'ben' } })).body
  const page = await newPage()
  await page.goto(url)
  await page.waitForURL(`${world.url}/`)
  await page.getByRole('textbox').waitFor()
  expect(await page.locator('body').innerText()).not.toMatch(/hello from Anna|a plan of the owner/)
  await talk(page, 'hello from Ben')
  expect(await me(page)).toMatchObject({ username: 'ben', role: 'member' })
  const again = await newPage()
  await again.goto(url)
  await again.getByRole('heading', { name: 'This sign-in link does not work' }).waitFor()
})

test('[W12.16.3] who may not come in is told so, on a page', async () => {
  provider.accounts['eve'] = { email: 'eve@elsewhere.example', email_verified: true }
  provider.who = 'eve'
  const page = await newPage()
  await page.goto(`${world.url}/api/auth/oidc/login`)
  await page.getByRole('heading', { name: 'Signing in did not work' }).waitFor()
  await page.getByText('Ask one of its owners for an invitation.').waitFor()
  await page.getByRole('link', { name: 'Sign in again' }).waitFor()
  await page.screenshot({ path: join(shots, 'refused.png') })
})
