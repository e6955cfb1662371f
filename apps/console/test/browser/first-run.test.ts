/** The first minute of a newcomer, with a real supervised server that is killed for real. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchChromium, PATIENCE_MS } from '../../../../packages/chatkit/test/browser/open-browser.ts'
import { startDemo } from '../../../../packages/server/test/start/demo.ts'
import { newHome } from '../../../../packages/server/test/start/home.ts'
import { postgresPlace } from '../../../../packages/server/test/store/place.ts'
import { startFakeModel } from '../../../../packages/testkit/src/index.ts'
import { looksWrong, shoot } from './open-console.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser?.close())

const EN = { locale: 'en-US', colorScheme: 'light' } as const
const ZH = { locale: 'zh-CN', colorScheme: 'dark' } as const

test('[G9] from the link to a copied snippet: no typing, at most eight clicks, all keys', async () => {
  await using home = await newHome()
  await using demo = await startDemo(home.path)
  await using opened = await openPage(await signInLink(demo.supervisor.lines), EN)
  const { page, problems } = opened
  const started = Date.now()
  let clicks = 0
  const click = async (name: string) => {
    clicks += 1
    await page.getByRole('button', { name, exact: true }).first().click()
  }
  const isDone = (step: string) => page.locator(`li[data-step=${step}][data-done=true]`).waitFor()
  await page.locator('.ck-composer-text').waitFor()
  await expect.poll(() => page.locator('.ck-composer-text').inputValue()).toBe('Hello')
  expect(await looksWrong(page)).toEqual([])
  await shoot(page, 'first-run-0')
  await page.keyboard.press('Enter')
  await page.getByText('Watch a tool run').waitFor()
  await click('Try it')
  await page.getByText('Approve something').waitFor()
  await click('Try it')
  await page.locator('[data-rail=approvals]', { hasText: /1/ }).waitFor()
  await shoot(page, 'first-run-approve')
  await click('Approve')
  await page.getByText('Put the chat on your page').waitFor()
  await click('Show')
  await page.waitForURL(/\/embed/)
  expect(await looksWrong(page)).toEqual([])
  await click('Copy')
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toContain(`<script defer src="${new URL(page.url()).origin}/embed.js"`)
  console.log(`first run: ${((Date.now() - started) / 1_000).toFixed(1)} s, ${clicks} clicks`)
  expect(clicks).toBeLessThanOrEqual(8)
  await page.getByRole('link', { name: 'Sessions', exact: true }).click()
  for (const step of ['talk', 'tool', 'approve', 'embed']) await isDone(step)
  await page.getByText(/Done in .* s\. It is stored on this server/).waitFor()
  await shoot(page, 'first-run-4')
  expect(problems).toEqual([])
})

test.each([
  ['light-en', EN],
  ['dark-zh', ZH],
] as const)(
  '[W12.14] one click kills the server, and the page tells what became of the answer (%s)',
  async (name, look) => {
    await using home = await newHome()
    await using demo = await startDemo(home.path)
    await using opened = await openPage(await signInLink(demo.supervisor.lines), look)
    const { page, problems } = opened
    const { pid } = await demo.possibility()
    await page.locator('li[data-step=survive]').getByRole('button').click()
    await page.locator('.ck-md', { hasText: /Step 2 of 5|第 2 步/ }).waitFor()
    const kill = page.getByRole('button', { name: /^(?:Crash it now|现在让它崩溃)$/ })
    await expect.poll(() => kill.isEnabled()).toBe(true)
    expect(await looksWrong(page)).toEqual([])
    await page.locator('.ck-md', { hasText: /Step 3 of 5|第 3 步/ }).waitFor()
    await kill.click()
    await page.locator('[data-crash] li[data-step=on]').waitFor()
    await shoot(page, `crash-${name}`)
    await page.locator('[data-crash] li[data-step=done]').waitFor({ timeout: 90_000 })
    await page.locator('.ck-md', { hasText: /Nothing was lost, and nothing|没有丢失任何内容，也没有/ }).waitFor()
    const told = await page.locator('[data-crash] li').allInnerTexts()
    expect(told[0]).toContain(String(pid))
    expect(told[1]).toMatch(/Back after \d+\.\d s|\d+\.\d 秒后恢复/)
    expect(told[3]).toMatch(/Nothing was lost|没有丢失任何内容/)
    // What is counted is what was seen of the answer, and neither the question nor marks that nobody sees.
    const { seen, isCut } = await page.locator('.ck-message[data-role=Assistant]').evaluateAll((messages) => {
      const cut = messages.findIndex(({ textContent }) => /Interrupted|服务器中断/.test(textContent))
      const texts = messages.slice(0, cut + 1).flatMap((message) => [...message.querySelectorAll('.ck-md')])
      return { isCut: cut >= 0, seen: texts.reduce((sum, { textContent }) => sum + textContent.length, 0) }
    })
    const counted = Number(/\d+/.exec(told[3]!)![0])
    // The kill may have come between two answers: then nothing was cut, and all of it counts.
    if (isCut) expect(counted).toBeLessThanOrEqual(seen)
    if (isCut) expect(counted).toBeGreaterThan(seen - 60)
    expect((await demo.possibility()).pid).not.toBe(pid)
    const steps = await page.locator('.ck-md').allInnerTexts()
    const times = [1, 2, 3, 4, 5].map(
      (number) => steps.filter((text) => new RegExp(`Step ${number} of 5|第 ${number} 步`).test(text)).length,
    )
    expect(
      times.toSorted((a, b) => a - b),
      'only the step that was cut is taken up again',
    ).toEqual([1, 1, 1, 1, isCut ? 2 : 1])
    // Nobody stopped it, and nobody who comes later is told so.
    await page.reload()
    await page.locator('.ck-md', { hasText: /Nothing was lost, and nothing|没有丢失任何内容，也没有/ }).waitFor()
    expect(await page.getByText(/^(?:Stopped|已停止)$/).count()).toBe(0)
    expect(await page.getByText(/^(?:Interrupted: the server went down|服务器中断，回答未完)$/).count()).toBe(
      isCut ? 1 : 0,
    )
    expect(await looksWrong(page)).toEqual([])
    expect(problems).toEqual([])
  },
)

test('[W12.14] on PostgreSQL the page says that the answer went on when it does, and that it is complete when it is', async () => {
  await using place = await postgresPlace()
  await using home = await newHome()
  await using demo = await startDemo(home.path, { env: { PARLEY_DATABASE_URL: place.at, PARLEY_LEASE_MS: '6000' } })
  await using opened = await openPage(await signInLink(demo.supervisor.lines), EN)
  const { page } = opened
  await page.locator('li[data-step=survive]').getByRole('button').click()
  await page.locator('.ck-md', { hasText: 'Step 2 of 5' }).waitFor()
  await page.getByRole('button', { name: 'Crash it now' }).click()
  await page.getByText('not before the lease of the dead one has stood still').waitFor()
  const on = page.locator('[data-crash] li[data-step=on]')
  await on.waitFor()
  expect(Number(/after (\d+)/.exec(await on.innerText())![1])).toBeGreaterThanOrEqual(4)
  const done = page.locator('[data-crash] li[data-step=done]')
  await done.waitFor({ timeout: 90_000 })
  expect(await done.innerText()).toContain('Nothing was lost')
})

test('[W12.13] with a real model nothing is said of the demo; where there are agents, the reader chooses who answers', async () => {
  await using model = await startFakeModel(({ system }) => ({ text: `Told: ${system.slice(0, 40)}` }))
  await using home = await newHome()
  const folder = join(home.path, 'agents/support')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'instructions.md'), 'You are the support of a shop.')
  await writeFile(join(folder, 'agent.yaml'), 'display_name: Shop support\n')
  await using demo = await startDemo(home.path, { env: { PARLEY_MODEL_URL: model.url, PARLEY_MODEL: 'fake-model' } })
  await using opened = await openPage(await signInLink(demo.supervisor.lines), EN)
  const { page } = opened
  const choice = page.getByLabel('Agent', { exact: true })
  await choice.waitFor()
  expect(await page.locator('body').innerText()).not.toMatch(/demo/i)
  expect(await choice.locator('option').allTextContents()).toEqual(['Default agent', 'Shop support'])
  await choice.selectOption('Shop support')
  await page.locator('.ck-composer-text').fill('who are you?')
  await page.locator('.ck-composer-text').press('Enter')
  await page.locator('.ck-md', { hasText: 'You are the support of a shop' }).waitFor()
  expect(await looksWrong(page)).toEqual([])
})

test('[G5.10] whoever is not signed in, or comes with a used link, finds a page that says how to go on', async () => {
  await using home = await newHome()
  await using demo = await startDemo(home.path)
  await using opened = await openPage(`${demo.url}/approvals`, ZH)
  const { page } = opened
  await page.getByText('npx parley sign-in-link').waitFor()
  await page.getByRole('heading', { name: '登录' }).waitFor()
  expect(await page.locator('.ck-composer-text').count()).toBe(0)
  expect(await looksWrong(page)).toEqual([])
  await shoot(page, 'signed-out')
  const link = await signInLink(demo.supervisor.lines)
  await page.goto(link)
  await page.locator('.ck-composer-text').waitFor()
  await page.context().clearCookies()
  await page.goto(link)
  await page.getByText('npx parley sign-in-link').waitFor()
  expect(await page.locator('pre').count(), 'no JSON for a person').toBe(0)
})

async function signInLink(lines: readonly string[]): Promise<string> {
  const find = () => /(http\S+code=[^"\s]+)/.exec(lines.join('\n'))?.[1]
  await expect.poll(find).toBeDefined()
  return find()!
}

async function openPage(url: string, look: typeof EN | typeof ZH) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...look,
  })
  const page: Page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    // While the server is gone, requests fail; that is the point.
    if (/policy|refused to/i.test(message.text()) && !/ERR_CONNECTION/.test(message.text()))
      problems.push(message.text())
  })
  await page.goto(url)
  return { page, problems, [Symbol.asyncDispose]: () => context.close() }
}
