/** The guide at `/docs`, of a real server, and the page in it. */
import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mint } from '../../../server/test/auth/visitors.ts'
import { World } from '../../../server/test/wire/world.ts'
import { axeViolations } from './axe.ts'
import './embed-file.ts'
import { launchChromium, PATIENCE_MS } from './open-browser.ts'

const shots = join(import.meta.dirname, '../../../../.test-shots/guide')
const code = join(import.meta.dirname, '../../../../docs/guide/code')
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

const PAGES = ['', 'concepts', 'guarantees', 'embedding', 'tools', 'reference', 'no-such-page']
const LOOKS = (['en', 'zh'] as const).flatMap((language) =>
  (['light', 'dark'] as const).flatMap((colorScheme) =>
    [
      { width: 1440, height: 900 },
      { width: 390, height: 844 },
    ].map((viewport) => ({ language, colorScheme, viewport, name: `${language}-${colorScheme}-${viewport.width}` })),
  ),
)

test.each(LOOKS)(
  '[W12.9] the guide can be read, without a script and without a way to the side ($name)',
  async ({ language, colorScheme, viewport, name }) => {
    const context = await browser.newContext({ colorScheme, viewport, reducedMotion: 'reduce' })
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    const problems: string[] = []
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    for (const path of PAGES) {
      const { url } = (await page.goto(`${world.url}/docs/${language}/${path}`))!.request()
      await page.screenshot({ path: join(shots, `${name}-${path || 'quick-start'}.png`), fullPage: true })
      expect([url, await axeViolations(page)]).toEqual([url, []])
      expect([url, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)]).toEqual([url, true])
    }
    expect(problems.filter((problem) => !problem.includes('404'))).toEqual([])
    await context.close()
  },
)

test('[W12.9] one reads on with the keyboard, from page to page and into the other language', async () => {
  const context = await browser.newContext({ locale: 'zh-CN', viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  await page.goto(`${world.url}/docs`)
  expect(new URL(page.url()).pathname).toBe('/docs/zh/')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN')
  await page.getByRole('link', { name: '承诺与验证' }).first().focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: '承诺与验证' }).waitFor()
  await page.getByRole('link', { name: 'English' }).click()
  await page.getByRole('heading', { level: 1, name: 'What is promised' }).waitFor()
  await context.close()
})

test('[W12.9] page.html puts a chat on a page that speaks for whoever is signed in', async () => {
  world.learn({ 'Where is my order?': [{ text: 'On its way.' }] })
  const html = (await readFile(join(code, 'page.html'), 'utf8')).replace('http://127.0.0.1:8020', world.url)
  const site = createServer((request, response) => {
    if (request.url !== '/chat-token') return void response.setHeader('content-type', 'text/html').end(html)
    void mint(world, 'user-42').then((made) => response.end(JSON.stringify(made)))
  }).listen(0, '127.0.0.1')
  await once(site, 'listening')
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1000, height: 800 } })
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
    await page
      .getByRole('button', { name: /Ask us/ })
      .first()
      .click()
    await page.getByText('Where is my order?').first().click()
    await page.getByText('On its way.', { exact: true }).waitFor()
  } finally {
    await context.close()
    site.close()
  }
})
