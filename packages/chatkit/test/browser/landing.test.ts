/** The page at the server's own address, with a real supervised server that is killed for real. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDemo } from '../../../server/test/start/demo.ts'
import { newHome } from '../../../server/test/start/home.ts'
import { postgresPlace } from '../../../server/test/store/place.ts'
import { startFakeModel } from '../../../testkit/src/index.ts'
import { axeViolations } from './axe.ts'
import { launchChromium, PATIENCE_MS } from './open-browser.ts'

const shots = join(import.meta.dirname, '../../../../.test-shots/landing')
let browser: Browser
beforeAll(async () => {
  await mkdir(shots, { recursive: true })
  browser = await launchChromium()
})
afterAll(() => browser?.close())

const LOOKS = [
  { name: 'light-en', options: { locale: 'en-US', colorScheme: 'light' } },
  { name: 'dark-zh', options: { locale: 'zh-CN', colorScheme: 'dark' } },
] as const

test.each(LOOKS)(
  '[W12.14] one click kills the server, and the page tells what became of the answer ($name)',
  async ({ name, options }) => {
    await using home = await newHome()
    await using demo = await startDemo(home.path, { env: { PARLEY_LANGUAGE: name.endsWith('en') ? 'en' : 'zh' } })
    await using opened = await openPage(await signInLink(demo.supervisor.lines), options)
    const { page, problems } = opened
    const { pid } = await demo.possibility()
    const start = page.getByRole('button', { name: /^(?:Start an answer|开始一个回答)$/ })
    const kill = page.getByRole('button', { name: /^(?:Crash it now|现在让它崩溃)$/ })
    await start.waitFor()
    expect(await kill.isDisabled()).toBe(true)
    // Before anybody asks, the page says who answers.
    await page.locator('.ck-prologue', { hasText: /demo model|演示模型/ }).waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.screenshot({ path: join(shots, `${name}-0-idle.png`) })

    await start.click()
    await page.locator('.ck-md', { hasText: /Step 2 of 5|第 2 步/ }).waitFor()
    await expect.poll(() => kill.isEnabled()).toBe(true)
    await page.locator('.ck-md', { hasText: /Step 3 of 5|第 3 步/ }).waitFor()
    await page.screenshot({ path: join(shots, `${name}-1-before.png`) })
    await kill.click()
    await page.locator('li[data-step=killed]').waitFor()
    await page.getByRole('heading', { name: /^(?:Parley is down|Parley 已中断)$/ }).waitFor()
    await page.screenshot({ path: join(shots, `${name}-2-killed.png`) })
    await page.locator('li[data-step=on]').waitFor()
    await page.getByRole('heading', { name: /^(?:Parley is running|Parley 正在运行)$/ }).waitFor()
    await page.screenshot({ path: join(shots, `${name}-3-on.png`) })
    await page.locator('li[data-step=done]').waitFor({ timeout: 90_000 })
    await page.locator('.ck-md', { hasText: /Nothing was lost, and nothing|没有丢失任何内容，也没有/ }).waitFor()
    await page.screenshot({ path: join(shots, `${name}-4-done.png`) })

    const told = await page.locator('#crash li').allInnerTexts()
    expect(told[0]).toContain(String(pid))
    expect(told[1]).toMatch(/Back after \d+\.\d s|\d+\.\d 秒后恢复/)
    expect(told[3]).toMatch(/Nothing was lost|没有丢失任何内容/)
    // What is counted is what was seen of the answer, and neither the question nor marks that nobody sees.
    const seen = await page.locator('.ck-message[data-role=Assistant]').evaluateAll((messages) => {
      const cut = messages.findIndex(({ textContent }) => /Interrupted|服务器中断/.test(textContent))
      const texts = messages.slice(0, cut + 1).flatMap((message) => [...message.querySelectorAll('.ck-md')])
      return texts.reduce((sum, { textContent }) => sum + textContent.length, 0)
    })
    const counted = Number(/\d+/.exec(told[3]!)![0])
    expect(counted).toBeLessThanOrEqual(seen)
    expect(counted).toBeGreaterThan(seen - 60)
    expect((await demo.possibility()).pid).not.toBe(pid)
    const steps = await page.locator('.ck-md').allInnerTexts()
    const times = [1, 2, 3, 4, 5].map(
      (number) => steps.filter((text) => new RegExp(`Step ${number} of 5|第 ${number} 步`).test(text)).length,
    )
    expect(
      times.toSorted((a, b) => a - b),
      'only the step that was cut is taken up again',
    ).toEqual([1, 1, 1, 1, 2])
    // Nobody stopped it, and nobody who comes later is told so.
    for (const isReadAgain of [false, true]) {
      if (isReadAgain) await page.reload()
      await page.locator('.ck-md', { hasText: /Nothing was lost, and nothing|没有丢失任何内容，也没有/ }).waitFor()
      expect(await page.getByText(/^(?:Stopped|已停止)$/).count()).toBe(0)
      expect(await page.getByText(/^(?:Interrupted: the server went down|服务器中断，回答未完)$/).count()).toBe(1)
    }
    await page.screenshot({ path: join(shots, `${name}-5-read-again.png`) })
    expect(await axeViolations(page)).toEqual([])
    expect(problems).toEqual([])
  },
)

test('[W12.14] on PostgreSQL the page says that the answer went on when it does, and that it is complete when it is', async () => {
  await using place = await postgresPlace()
  await using home = await newHome()
  await using demo = await startDemo(home.path, { env: { PARLEY_DATABASE_URL: place.at, PARLEY_LEASE_MS: '6000' } })
  await using opened = await openPage(await signInLink(demo.supervisor.lines), LOOKS[0].options)
  const { page } = opened
  await page.getByRole('button', { name: 'Start an answer' }).click()
  await page.locator('.ck-md', { hasText: 'Step 2 of 5' }).waitFor()
  await page.getByRole('button', { name: 'Crash it now' }).click()
  await page.locator('li[data-step=back]').waitFor()
  await page.getByText('not before the lease of the dead one has stood still').waitFor()
  await page.locator('li[data-step=on]').waitFor()
  expect(await page.locator('.ck-md').allInnerTexts()).toContainEqual(expect.stringMatching(/Step [23] of 5/))
  expect(Number(/after (\d+)/.exec(await page.locator('li[data-step=on]').innerText())![1])).toBeGreaterThanOrEqual(4)
  await page.locator('li[data-step=done]').waitFor({ timeout: 90_000 })
  expect(await page.locator('.ck-md').allInnerTexts()).toContainEqual(
    expect.stringContaining('All five steps are done'),
  )
  expect(await page.locator('li[data-step=done]').innerText()).toContain('Nothing was lost')
})

test('[W12.14] with a real model the page offers nothing of the demo, and no crash', async () => {
  await using model = await startFakeModel(() => ({ text: 'I am real.' }))
  await using home = await newHome()
  await using demo = await startDemo(home.path, { env: { PARLEY_MODEL_URL: model.url, PARLEY_MODEL: 'fake-model' } })
  await using opened = await openPage(await signInLink(demo.supervisor.lines), LOOKS[0].options)
  const { page } = opened
  await page.locator('.ck-suggestion').first().waitFor()
  expect(await page.locator('.ck-suggestion').allInnerTexts()).toEqual(['Hello, what can you do?'])
  expect(await page.locator('body').innerText()).not.toMatch(/crash|survive|demo/i)
  await page.screenshot({ path: join(shots, 'real-model.png') })
})

test('[W12.13] where there are agents, the page lets its reader choose who answers', async () => {
  await using model = await startFakeModel(({ system }) => ({ text: `Told: ${system.slice(0, 40)}` }))
  await using home = await newHome()
  const folder = join(home.path, 'agents/support')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'instructions.md'), 'You are the support of a shop.')
  await writeFile(join(folder, 'agent.yaml'), 'display_name: Shop support\n')
  await using demo = await startDemo(home.path, { env: { PARLEY_MODEL_URL: model.url, PARLEY_MODEL: 'fake-model' } })
  await using opened = await openPage(await signInLink(demo.supervisor.lines), LOOKS[0].options)
  const { page } = opened
  const choice = page.getByLabel('Agent')
  await choice.waitFor()
  expect(await choice.locator('option').allTextContents()).toEqual(['Default', 'Shop support'])
  await choice.selectOption('Shop support')
  const ask = async (text: string) => {
    await page.locator('.ck-composer-text').fill(text)
    await page.locator('.ck-composer-text').press('Enter')
  }
  await ask('who are you?')
  await page.locator('.ck-md', { hasText: 'You are the support of a shop' }).waitFor()
  expect(await axeViolations(page)).toEqual([])
  await page.screenshot({ path: join(shots, 'agents.png') })
  await page.reload()
  await page.locator('.ck-md', { hasText: 'You are the support of a shop' }).waitFor()
  expect(await choice.inputValue()).toBe('support')
  await choice.selectOption('Default')
  await page.locator('.ck-onboarding').waitFor()
  expect(await page.getByText('who are you?').count()).toBe(0)
})

test('[W12.14] whoever is not signed in finds how to go on, and no button', async () => {
  await using home = await newHome()
  await using demo = await startDemo(home.path)
  await using opened = await openPage(demo.url, LOOKS[0].options)
  const { page } = opened
  await page.getByText('Open the one-time sign-in link').waitFor()
  expect(await page.getByRole('button').count()).toBe(0)
  expect(await page.locator('parley-chat').count()).toBe(0)
  expect(await axeViolations(page)).toEqual([])
  await page.screenshot({ path: join(shots, 'signed-out.png') })
})

test('[W12.14] on a narrow screen nothing is cut off', async () => {
  await using home = await newHome()
  await using demo = await startDemo(home.path)
  const narrow = { locale: 'en-US', viewport: { width: 360, height: 740 } }
  await using opened = await openPage(await signInLink(demo.supervisor.lines), narrow)
  const { page } = opened
  await page.getByRole('button', { name: 'Start an answer' }).waitFor()
  await page.locator('.ck-composer-text').waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  // One thing scrolls, the conversation; and the chat is what the screen is for.
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(740)
  expect((await page.locator('parley-chat').boundingBox())!.height).toBeGreaterThan(740 / 2)
  await page.screenshot({ path: join(shots, 'narrow.png'), fullPage: true })
})

async function signInLink(lines: readonly string[]): Promise<string> {
  const find = () => /(http\S+code=[^"\s]+)/.exec(lines.join('\n'))?.[1]
  await expect.poll(find).toBeDefined()
  return find()!
}

async function openPage(url: string, options: BrowserContextOptions) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options })
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
