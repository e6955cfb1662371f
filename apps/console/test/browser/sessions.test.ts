/** The list of sessions, and the conversation, in a real browser against a real server. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Console, LOOKS, looksWrong, openConsole, shoot } from './open-console.ts'

let world: Console
beforeAll(async () => {
  world = await openConsole()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const rowOf = (page: Page, name: string) => page.locator('a[data-session]', { hasText: name })

test.each(LOOKS)(
  '[G5.1] a message is answered, its session stands in the list and has an address (%s)',
  async (look) => {
    await using opened = await world.open('/', { look })
    const { page, problems } = opened
    const box = page.locator('.ck-composer-text')
    await box.waitFor()
    expect(await box.evaluate((element) => element === document.activeElement), 'the composer has the focus').toBe(true)
    await box.fill(`Hello from ${look}`)
    await box.press('Enter')
    await page.locator('.ck-md', { hasText: `You said Hello from ${look}` }).waitFor()
    await page.waitForURL(/\/s\/sess_/)
    await rowOf(page, `Hello from ${look}`).waitFor()
    expect(await looksWrong(page)).toEqual([])
    await shoot(page, `chat-${look}`)

    // From its bare address it is the same, and back goes to where one was.
    await page.reload()
    await page.locator('.ck-md', { hasText: `You said Hello from ${look}` }).waitFor()
    await page.keyboard.press('Alt+n')
    await page.waitForURL(`${world.url}/`)
    await page.goBack()
    await page.locator('.ck-md', { hasText: `You said Hello from ${look}` }).waitFor()
    expect(problems).toEqual([])
  },
)

test('[G1] renaming is at once and moves nothing; Escape leaves the title alone', async () => {
  await world.ask('First of two')
  await world.ask('Second of two')
  await using opened = await world.open('/')
  const { page } = opened
  const titles = () => page.locator('a[data-session] .truncate').allInnerTexts()
  await rowOf(page, 'First of two').waitFor()
  const before = await titles()
  await rowOf(page, 'First of two').focus()
  await page.keyboard.press('F2')
  await page.getByLabel('Title of the session').fill('Never kept')
  await page.keyboard.press('Escape')
  await rowOf(page, 'First of two').focus()
  await page.keyboard.press('F2')
  await page.getByLabel('Title of the session').fill('Renamed here')
  await page.keyboard.press('Enter')
  await rowOf(page, 'Renamed here').waitFor()
  expect(await titles()).toEqual(before.map((title) => (title === 'First of two' ? 'Renamed here' : title)))
  await page.reload()
  await rowOf(page, 'Renamed here').waitFor()
  expect(await rowOf(page, 'Never kept').count()).toBe(0)
})

test('[G6.2] a deleted session is gone from sight at once, comes back with Undo, and is really gone without', async () => {
  const kept = await world.ask('Deleted by mistake')
  const gone = await world.ask('Deleted on purpose')
  await using opened = await world.open('/')
  const { page } = opened
  await rowOf(page, 'Deleted by mistake').focus()
  await page.keyboard.press('Delete')
  await rowOf(page, 'Deleted by mistake').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await rowOf(page, 'Deleted by mistake').waitFor()
  await rowOf(page, 'Deleted on purpose').focus()
  await page.keyboard.press('Delete')
  await rowOf(page, 'Deleted on purpose').waitFor({ state: 'detached' })
  await expect
    .poll(() => world.api('GET', `/api/sessions/${gone}`).catch((error: Error) => error.message))
    .toMatch(/404/)
  await world.api('GET', `/api/sessions/${kept}`)
})

test('[G6.2] deleting a session with a run asks first, and says what stops', async () => {
  const { session_id } = await world.api<{ session_id: string }>('POST', '/api/sessions', { intent: 'At work' })
  await using opened = await world.open(`/s/${session_id}`)
  const { page } = opened
  await page.locator('.ck-composer-text').fill('slow')
  await page.locator('.ck-composer-text').press('Enter')
  await page.locator('.ck-md', { hasText: 'word word' }).waitFor()
  await page.getByRole('heading', { name: 'Running' }).waitFor()
  await page.getByRole('button', { name: 'More for “At work”' }).click()
  await page.getByRole('menuitem', { name: /Delete/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Deleting the session stops it').waitFor()
  expect(await dialog.getByRole('button', { name: 'Cancel' }).evaluate((one) => one === document.activeElement)).toBe(
    true,
  )
  expect(await looksWrong(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.waitForURL(`${world.url}/`)
  await expect
    .poll(() => world.api('GET', `/api/sessions/${session_id}`).catch((error: Error) => error.message))
    .toMatch(/404/)
})

test('[G5.1] search finds words of messages, stands in the address, and Escape clears it', async () => {
  await world.ask('Where is the pomegranate?')
  await using opened = await world.open('/')
  const { page } = opened
  await page.getByRole('searchbox', { name: 'Search' }).fill('pomegranate')
  await expect.poll(() => page.locator('a[data-session]').count()).toBe(1)
  expect(new URL(page.url()).searchParams.get('q')).toBe('pomegranate')
  await page.getByRole('searchbox', { name: 'Search' }).press('Escape')
  await expect.poll(() => page.locator('a[data-session]').count()).toBeGreaterThan(1)
  await page.getByRole('searchbox', { name: 'Search' }).fill('no such words anywhere')
  await page.getByText('No session has these words.').waitFor()
})

test('[G4.1] what is not there has a page that says so: a foreign session, an unknown address', async () => {
  await using opened = await world.open('/s/sess_nobody')
  const { page } = opened
  await page.getByText('This was deleted, or it is not yours.').waitFor()
  const answer = await page.goto(`${world.url}/no/such/page`)
  expect(answer?.status()).toBe(404)
  await page.getByText('There is no such page.').waitFor()
  expect(await looksWrong(page)).toEqual([])
  await shoot(page, 'unknown')
  const json = await fetch(`${world.url}/api/no-such`, { headers: { accept: 'text/html' } })
  expect(await json.json()).toMatchObject({ code: 'not_found' })
})

test('[G4.3] the palette finds pages, sessions and deeds by words and initials, without a pointer', async () => {
  await world.ask('A session about walnuts')
  await using opened = await world.open('/')
  const { page } = opened
  await page.locator('.ck-composer-text').waitFor()
  const words = page.getByRole('dialog').getByRole('combobox')
  await page.keyboard.press('Control+k')
  await words.waitFor()
  await page.keyboard.type('gte')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${world.url}/embed`)
  await page.keyboard.press('Control+k')
  await words.fill('walnuts')
  await page.getByRole('option', { name: /A session about walnuts/ }).waitFor()
  expect(await looksWrong(page)).toEqual([])
  await shoot(page, 'palette')
  await page.getByRole('option', { name: /A session about walnuts/ }).click()
  await page.locator('.ck-md', { hasText: 'You said A session about walnuts' }).waitFor()
  // Letters are text where somebody writes, and commands elsewhere.
  await page.locator('.ck-composer-text').focus()
  await page.keyboard.type('ge?')
  expect(await page.locator('.ck-composer-text').inputValue()).toBe('ge?')
  await page.locator('.ck-composer-text').fill('')
  await page.locator('[data-rail=sessions]').focus()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
})

test('[G6.4] a cut line is said after a moment, and silent again when it is back', async () => {
  const id = await world.ask('Before the cut')
  await using opened = await world.open(`/s/${id}`)
  const { page } = opened
  await page.locator('.ck-md', { hasText: 'You said Before the cut' }).waitFor()
  await page.context().setOffline(true)
  await page.getByText('Reconnecting. The run goes on without you.').first().waitFor()
  await shoot(page, 'offline')
  await page.context().setOffline(false)
  await page.getByText('Reconnecting. The run goes on without you.').first().waitFor({ state: 'detached' })
})

test('[G4.2] on a phone list and conversation are two pages, and nothing reaches beyond 320 px', async () => {
  await world.ask('On a phone')
  await using opened = await world.open('/sessions', { width: 320, height: 640, look: 'light-zh' })
  const { page, problems } = opened
  await rowOf(page, 'On a phone').waitFor()
  expect(await page.locator('.ck-composer-text').isVisible()).toBe(false)
  expect(await looksWrong(page)).toEqual([])
  await shoot(page, 'phone-list')
  await rowOf(page, 'On a phone').click()
  await page.locator('.ck-md', { hasText: 'You said On a phone' }).waitFor()
  expect(await rowOf(page, 'On a phone').isVisible()).toBe(false)
  expect(await looksWrong(page)).toEqual([])
  await shoot(page, 'phone-chat')
  await page.getByRole('link', { name: '返回' }).click()
  await rowOf(page, 'On a phone').waitFor()
  expect(problems).toEqual([])
})
