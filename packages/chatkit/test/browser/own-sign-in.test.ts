/** `examples/own-sign-in.mjs` as it says: a product that signs its visitors' tokens itself, a real server, and Chromium. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext } from 'playwright-core'
import { expect, test } from 'vitest'
import { startNode } from '../../../testkit/src/index.ts'
import './embed-file.ts'
import { launchChromium, PATIENCE_MS } from './open-browser.ts'
import { keepInside, problemsOf } from './watch-page.ts'

const root = join(import.meta.dirname, '../../../..')
const shots = join(root, '.test-shots/chatkit-embed')
const KEY = 'sk-blade-v2-for-the-test-of-the-own-sign-in'
const SECRET = 'a secret that the shop and the server share, and nobody else'

async function openShop() {
  await using parts = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'chatkit-own-sign-in-'))
  parts.defer(() => rm(folder, { recursive: true, force: true }))
  const visitors = { secret: SECRET, issuer: 'https://shop.example', audience: 'parley' }
  await writeFile(join(folder, 'parley.config.json'), JSON.stringify({ visitors }))
  const env = { PARLEY_DATA_DIR: join(folder, 'data'), PARLEY_PORT: '0', PARLEY_OWNER_KEY: KEY, PARLEY_LANGUAGE: 'en' }
  const server = parts.use(startNode(join(root, 'packages/server/bundle/main.js'), [], { env, cwd: folder }))
  const parley = (await server.line(/listening on (http:\/\/[\d.:]+)/))[1]!
  const shopEnv = { PARLEY_URL: parley, SHOP_SECRET: SECRET, PORT: '0' }
  const site = parts.use(startNode(join(root, 'examples/own-sign-in.mjs'), [], { env: shopEnv }))
  const url = (await site.line(/Open (http:\S+)/))[1]!
  const browser: Browser = await launchChromium()
  parts.defer(() => browser.close())
  const opened = parts.move()
  return { parley, url, browser, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

async function signIn(context: BrowserContext, url: string, name: string) {
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  await page.goto(url)
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('parley-launcher .launcher').click()
  await page.locator('.ck-composer-text').waitFor()
  return page
}

test('[W12.12.1] somebody who is signed in to a product chats as themselves, without a word to the server before', async () => {
  await using shop = await openShop()
  await mkdir(shots, { recursive: true })
  const context = await shop.browser.newContext({ viewport: { width: 1100, height: 800 } })
  const foreign = await keepInside(context, [shop.url, shop.parley])
  const page = await signIn(context, shop.url, 'anna')
  const problems = problemsOf(page)
  await page.locator('.ck-composer-text').fill('hello there')
  await page.locator('.ck-composer-text').press('Enter')
  await page.locator('.ck-md', { hasText: 'demo model' }).first().waitFor()
  await page.screenshot({ path: join(shots, 'own-sign-in.png') })
  const sessionsOf = async (subject: string) => {
    const headers = { authorization: `Bearer ${KEY}` }
    const answer = await fetch(`${shop.parley}/api/sessions?subject=${subject}`, { headers })
    return ((await answer.json()) as { total: number }).total
  }
  expect(await sessionsOf('anna')).toBe(1)
  const other = await shop.browser.newContext()
  await signIn(other, shop.url, 'ben')
  expect(await sessionsOf('ben')).toBe(0)
  expect([problems, foreign]).toEqual([[], []])
})
