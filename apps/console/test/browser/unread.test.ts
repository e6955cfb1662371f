/** What nobody has looked at yet, in two browsers of one person. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Console, type Look, looksWrong, openConsole, shoot } from './open-console.ts'

let world: Console
beforeAll(async () => {
  world = await openConsole()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const rowOf = (page: Page, name: string) => page.locator('a[data-session]', { hasText: name })
const unread = (page: Page, name: string, word: string) => rowOf(page, name).getByText(word, { exact: true })

const LOOKS: readonly Look[] = ['light-en', 'dark-zh', 'dark-en', 'light-zh']

test.each(LOOKS)(
  '[G5.1] [W12.8] what nobody has seen is bold with a dot, until it is open somewhere (%s)',
  async (look) => {
    const word = look.endsWith('en') ? 'unread' : '未读'
    const [seen, fresh] = [`Seen ${look}`, `Fresh ${look}`]
    const id = await world.ask(seen)
    await world.ask(fresh)
    await using first = await world.open(`/s/${id}`, { look })
    await using second = await world.open('/', { look })
    // The one that is open is seen, here and, when somebody looks there, in the other browser.
    await unread(first.page, fresh, word).waitFor()
    await expect.poll(() => unread(first.page, seen, word).count()).toBe(0)
    await rowOf(second.page, seen).waitFor()
    await second.page.reload()
    await unread(second.page, fresh, word).waitFor()
    await expect.poll(() => unread(second.page, seen, word).count()).toBe(0)
    const weight = (name: string) =>
      rowOf(second.page, name)
        .locator('.truncate')
        .evaluate((title) => getComputedStyle(title).fontWeight)
    expect([await weight(seen), await weight(fresh)]).toEqual(['400', '600'])
    expect(await looksWrong(second.page)).toEqual([])
    await shoot(second.page, `unread-${look}`)

    // More happens in the one that is open in the first browser: nobody need read it again in the second.
    await world.api('POST', `/api/sessions/${id}/chat`, { message: 'More' })
    await first.page.locator('.ck-md', { hasText: 'You said More' }).waitFor()
    const head = (await world.api<{ last_event_seq: number }>('GET', `/api/sessions/${id}`)).last_event_seq
    const marks = () => world.api<{ seen: Record<string, number> }>('GET', '/api/user/preferences/seen')
    await expect.poll(async () => (await marks()).seen[id]).toBe(head)
    await rowOf(second.page, fresh).click()
    await expect.poll(() => unread(second.page, fresh, word).count()).toBe(0)
    expect([...first.problems, ...second.problems]).toEqual([])
  },
)

test('[G5.1] a page that nobody sees marks nothing', async () => {
  const id = await world.ask('Behind another tab')
  await using opened = await world.open('/')
  const { page } = opened
  await page.addInitScript(() => Object.defineProperty(document, 'hidden', { get: () => true }))
  await page.goto(`${world.url}/s/${id}`)
  await page.locator('.ck-md', { hasText: 'You said Behind another tab' }).waitFor()
  await unread(page, 'Behind another tab', 'unread').waitFor()
  expect(
    (await world.api<{ seen: Record<string, number> }>('GET', '/api/user/preferences/seen')).seen[id],
  ).toBeUndefined()
})
