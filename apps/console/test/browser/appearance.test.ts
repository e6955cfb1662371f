/** How somebody likes the console: kept with the account, and counting at once. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Witness } from '../../../../packages/server/test/crash/witness.ts'
import { type Console, CONSOLE_KEY, type Look, looksWrong, openConsole, shoot } from './open-console.ts'

let world: Console
beforeAll(async () => {
  const policy = {
    rules: [{ tool: 'Write', decision: 'ask' as const }],
    headless: 'deny' as const,
    confirmationMinutes: 15,
  }
  world = await openConsole({ options: { policy } })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const LOOKS: readonly Look[] = ['light-en', 'dark-zh', 'dark-en', 'light-zh']
const kept = () => world.api<{ value: string | null }>('GET', '/api/user/preferences/console')
const rowHeight = (page: Page) =>
  page
    .locator('a[data-session]')
    .first()
    .evaluate((row) => row.getBoundingClientRect().height)

test.each(LOOKS)(
  '[G5.10] [W12.8] density and the key that sends count at once, and in another browser (%s)',
  async (look) => {
    const isEnglish = look.endsWith('en')
    await world.api('PUT', '/api/user/preferences/console', { value: '{}' })
    const id = await world.ask(`Rows ${look}`)
    await using opened = await world.open('/settings/appearance', { look })
    const { page, problems } = opened
    await page.getByRole('radio', { name: isEnglish ? 'Compact' : '紧凑' }).check()
    await page.getByRole('radio', { name: 'Ctrl + Enter' }).check()
    expect(await looksWrong(page)).toEqual([])
    await shoot(page, `appearance-${look}`)
    await expect
      .poll(async () => JSON.parse((await kept()).value!) as object)
      .toMatchObject({ density: 'compact', send: 'ctrl+enter' })

    await using other = await world.open(`/s/${id}`, { look })
    await expect.poll(() => rowHeight(other.page)).toBe(28)
    expect(await looksWrong(other.page)).toEqual([])
    await shoot(other.page, `compact-${look}`)
    const box = other.page.locator('.ck-composer-text')
    await box.fill('One line')
    await box.press('Enter')
    await box.pressSequentially('another')
    expect(await box.inputValue()).toBe('One line\nanother')
    await box.press('Control+Enter')
    await other.page.locator('[data-role=User]', { hasText: 'another' }).waitFor()
    expect([...problems, ...other.problems]).toEqual([])
  },
)

/** A browser whose answer to the question for leave is known, and which keeps what it was told to show. */
async function watchNotifications(page: Page, answer: 'granted' | 'denied'): Promise<void> {
  await page.addInitScript((given) => {
    const shown: string[] = []
    class Fake extends EventTarget {
      static permission = sessionStorage.getItem('leave') ?? 'default'
      static async requestPermission() {
        sessionStorage.setItem('leave', given)
        sessionStorage.setItem('asked', String(Number(sessionStorage.getItem('asked')) + 1))
        Fake.permission = given
        return given
      }
      constructor(title: string, { body }: { body: string }) {
        super()
        shown.push(`${title}: ${body}`)
      }
    }
    Object.assign(window, { Notification: Fake, shown })
  }, answer)
}

test('[G6.5] a notification comes when something begins to wait behind a hidden page, once that is wanted', async () => {
  await world.api('PUT', '/api/user/preferences/console', { value: '{}' })
  await using opened = await world.open('/')
  const { page } = opened
  await watchNotifications(page, 'granted')
  await page.goto(`${world.url}/settings/appearance`)
  const wanted = page.getByRole('switch', { name: 'Notify me when something waits' })
  await wanted.waitFor()
  expect(await page.evaluate(() => sessionStorage.getItem('asked'))).toBeNull()
  await wanted.check()
  await expect.poll(() => page.evaluate(() => sessionStorage.getItem('asked'))).toBe('1')
  await expect.poll(async () => (await kept()).value).toContain('"notify":true')
  await page.evaluate(() => Object.defineProperty(document, 'hidden', { get: () => true, configurable: true }))
  const { session_id } = await world.api<{ session_id: string }>('POST', '/api/sessions', { intent: 'Behind the page' })
  const call = { name: 'Write', arguments: { file_path: 'a.md', content: 'a' } }
  using asker = new Witness(() => world.url, CONSOLE_KEY, session_id)
  await asker.send({ message: JSON.stringify(call), client_message_id: 'm1' })
  await expect
    .poll(() => page.evaluate(() => (window as unknown as { shown: string[] }).shown))
    .toEqual(['Something waits for you: Behind the page'])
})

test('[G6.5] a browser that refuses is said to, and the switch stays off', async () => {
  await world.api('PUT', '/api/user/preferences/console', { value: '{}' })
  await using opened = await world.open('/')
  const { page } = opened
  await watchNotifications(page, 'denied')
  await page.goto(`${world.url}/settings/appearance`)
  const wanted = page.getByRole('switch', { name: 'Notify me when something waits' })
  await wanted.click()
  await page.getByText('This browser does not allow it').waitFor()
  expect(await wanted.isChecked()).toBe(false)
  expect(await looksWrong(page)).toEqual([])
})
