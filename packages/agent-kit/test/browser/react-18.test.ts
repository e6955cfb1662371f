/** [WR-76] The same program with React 18.2. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answered, choose, idle, say } from './do-in-chat.ts'
import { type App, openApp } from './open-app.ts'

let app: App
beforeAll(async () => {
  app = await openApp('18')
}, 120_000)
afterAll(() => app[Symbol.asyncDispose]())

test('[WR-76] streams, stops, answers, calls and lights up the map with React 18.2', async () => {
  await using opened = await app.open('custom')
  const { page, problems } = opened
  expect(await page.evaluate(() => (window as unknown as { reactVersion: string }).reactVersion)).toBe('18.2.0')
  await say(page, 'Answer slowly, so that I can stop you')
  await answered(page, 'I take my time')
  await page.getByRole('button', { name: 'Stop answering' }).click()
  await idle(page)
  await say(page, 'Ask me a question')
  await page.locator('.own-call[data-session=waiting_for_input]').getByRole('button').click()
  await answered(page, 'You answered')
  await idle(page)
  await say(page, 'List the files in the workspace')
  await page.locator('.x-call .glob-card', { hasText: 'Glob **/* done' }).waitFor()
  await idle(page)
  await choose(page, 'Scripted')
  await say(page, 'highlight the cities')
  await answered(page, 'Look at the page')
  expect(await page.locator('#map').textContent()).toBe('hangzhou,ningbo')
  expect(problems).toEqual([])
})

test('[WR-76] the hook works with React 18.2', async () => {
  await using opened = await app.open('hook')
  const { page, problems } = opened
  await page.waitForFunction(() => 'chat' in window)
  await page.evaluate(() => (window as unknown as { chat: { send(text: string): Promise<void> } }).chat.send('Hello'))
  await page.locator('#messages li', { hasText: 'demo model' }).waitFor()
  expect(problems).toEqual([])
})
