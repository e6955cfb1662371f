/** [W14.7] The page that the server has for iframes, driven by this package's host side from another origin. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Frame, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeViolations } from '../../../chatkit/test/browser/axe.ts'
import { type App, KEY, openApp } from './open-app.ts'

let app: App
const shots = join(import.meta.dirname, '../../../../.test-shots/chat-page')
beforeAll(async () => {
  app = await openApp('19', 'scripted')
  await mkdir(shots, { recursive: true })
}, 120_000)
afterAll(() => app?.[Symbol.asyncDispose]())

type Chat = {
  addContext(context: object): void
  appendInput(text: string): void
  sendMessage(message?: unknown): void
  setToken(token: string): void
  uploadSessionSkill(skill: object): void
  post(action: string, payload?: unknown): void
}
type Host = { chat: Chat; heard: unknown[][]; errors: { code: string; message: string }[] }

type HostOptions = { around?: string; query?: string; token?: string | null; trust?: string }

/** The page around the chat. Pages of `app.url` may use the server; those of the stranger may not. */
async function openHost({ around = app.url, query = '', token = KEY, trust = app.parley }: HostOptions = {}) {
  const settings = { chat: `${app.parley}/chat${query}`, trust, ...(token !== null && { token }) }
  return app.openAddress(`${around}/host.html?${new URLSearchParams(settings)}`)
}

async function chatIn(page: Page): Promise<Frame> {
  return (await (await page.waitForSelector('#chat')).contentFrame())!
}
const box = (frame: Frame) => frame.locator('.ck-composer-text')
const said = (frame: Frame, text: string) => frame.locator('.ck-md', { hasText: text }).last().waitFor()
const heard = (page: Page) => page.evaluate(() => (window as unknown as Host).heard)
const until = (page: Page, action: string) =>
  page.waitForFunction((name) => (window as unknown as Host).heard.some(([first]) => first === name), action)
const errors = (page: Page) => page.evaluate(() => (window as unknown as Host).errors.map(({ code }) => code))
const inHost = <Argument>(page: Page, work: (host: Host, argument: Argument) => void, argument?: Argument) =>
  page.evaluate(`(${work.toString()})(window, ${JSON.stringify(argument) ?? 'undefined'})`)

test('[W14.7] the host gives the token by message, adds a context, writes, sends, and is acted upon', async () => {
  await using opened = await openHost()
  const { page, problems } = opened
  await inHost(page, ({ chat }) => chat.addContext({ label: 'Region', content: { name: 'Zhejiang' } }))
  const frame = await chatIn(page)
  await until(page, 'ready')
  await box(frame).waitFor()
  await frame.getByText('Region').waitFor()
  await inHost(page, ({ chat }) => chat.appendInput('highlight the'))
  await inHost(page, ({ chat }) => chat.appendInput('cities'))
  await expect.poll(() => box(frame).inputValue()).toBe('highlight the cities')
  await inHost(page, ({ chat }) => chat.sendMessage())
  await said(frame, 'Look at the page')
  expect(app.lastQuestion()).toContain('Zhejiang')
  await until(page, 'map.highlight')
  expect((await heard(page)).filter(([action]) => action === 'map.highlight')).toEqual([
    ['map.highlight', { cityIds: ['hangzhou', 'ningbo'] }, expect.stringMatching(/\w/)],
  ])
  await inHost(page, ({ chat }) => chat.sendMessage({ text: 'good morning' }))
  await said(frame, 'good morning')
  expect(problems).toEqual([])
})

test('[W14.7] the token is in no address and no storage, and none is asked for with a sign-in', async () => {
  await using opened = await openHost()
  const { page } = opened
  const asked: { url: string; headers: Record<string, string> }[] = []
  page.on('request', (request) => asked.push({ url: request.url(), headers: request.headers() }))
  const frame = await chatIn(page)
  await box(frame).fill('hello')
  await box(frame).press('Enter')
  await said(frame, 'Heard: hello')
  const kept = await frame.evaluate(() =>
    JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie, document.documentElement.outerHTML]),
  )
  const ofFrame = asked.filter(({ url }) => url.startsWith(app.parley))
  expect(ofFrame.some(({ url }) => url.includes('/api/sessions'))).toBe(true)
  expect(ofFrame.filter(({ url, headers }) => url.includes(KEY) || headers['cookie'])).toEqual([])
  expect(kept).not.toContain(KEY)
})

test('[W14.7] a token may come at any time: the chat waits for it', async () => {
  await using opened = await openHost({ token: null })
  const { page } = opened
  const frame = await chatIn(page)
  await until(page, 'tokenNeeded')
  await inHost(page, ({ chat }, token) => chat.setToken(token as string), KEY)
  await box(frame).fill('hello')
  await box(frame).press('Enter')
  await said(frame, 'Heard: hello')
})

test('[W14.7] what cannot be done comes back as an error', async () => {
  await using opened = await openHost()
  const { page } = opened
  await until(page, 'ready')
  await inHost(page, ({ chat }) => chat.post('formatDisk'))
  await expect.poll(() => errors(page)).toEqual(['invalid_payload'])
  await inHost(page, ({ chat }) => chat.post('addContext', 'no label'))
  await expect.poll(() => errors(page)).toEqual(['invalid_payload', 'invalid_payload'])
  await inHost(page, ({ chat }) => chat.uploadSessionSkill({ name: 'a/b', files: [] }))
  await expect.poll(() => errors(page)).toEqual(['invalid_payload', 'invalid_payload', 'session_not_found'])
})

test('[W14.7] a skill is uploaded into the conversation', async () => {
  await using opened = await openHost()
  const { page } = opened
  const frame = await chatIn(page)
  await box(frame).fill('hello')
  await box(frame).press('Enter')
  await said(frame, 'Heard: hello')
  const answered = page.waitForResponse((response) => response.url().includes('skills:upload'))
  await inHost(page, ({ chat }) =>
    chat.uploadSessionSkill({
      name: 'acme/tides',
      files: [{ path: 'SKILL.md', content: '---\nname: tides\ndescription: Tells the tides\n---\nLook.' }],
    }),
  )
  expect((await answered).ok()).toBe(true)
})

test('[W14.7] a page of an origin that is not on the list cannot put the chat into a frame', async () => {
  await using opened = await openHost({ around: app.strangerUrl })
  const { page, problems } = opened
  await expect.poll(() => problems.join()).toContain('frame-ancestors')
  expect(await heard(page)).toEqual([])
})

test('[W14.7] a window that is not the parent is not heard, even from an origin on the list', async () => {
  await using opened = await openHost()
  const { page } = opened
  const frame = await chatIn(page)
  await until(page, 'ready')
  await box(frame).waitFor()
  await page.evaluate(() => {
    const sibling = Object.assign(document.createElement('iframe'), { id: 'sibling', src: '/nothing' })
    document.body.append(sibling)
    return new Promise((resolve) => sibling.addEventListener('load', resolve))
  })
  const sibling = (await (await page.waitForSelector('#sibling')).contentFrame())!
  const envelope = { __bladeBridge: true, direction: 'host-to-agent', action: 'appendInput', payload: 'from a sibling' }
  await sibling.evaluate(
    (message) => parent.document.querySelector<HTMLIFrameElement>('#chat')!.contentWindow!.postMessage(message, '*'),
    envelope,
  )
  // Messages keep their order: once this one has come, the one before it was seen and refused.
  await inHost(page, ({ chat }) => chat.appendInput('from the parent'))
  await expect.poll(() => box(frame).inputValue()).toBe('from the parent')
})

test('[W14.7] a reload of the site keeps the conversation in the frame', async () => {
  await using opened = await openHost()
  const { page } = opened
  const before = await chatIn(page)
  await box(before).fill('hello')
  await box(before).press('Enter')
  await said(before, 'Heard: hello')
  await before.getByRole('button', { name: 'Send' }).waitFor()
  await page.reload()
  await said(await chatIn(page), 'Heard: hello')
})

test('a card of an answer runs in an origin of its own, whatever the policy of the page says', async () => {
  await using opened = await openHost()
  const { page } = opened
  const frame = await chatIn(page)
  await box(frame).fill('preview the report')
  await box(frame).press('Enter')
  await said(frame, 'Look at the page')
  await frame.getByRole('button', { name: 'Report', exact: true }).click()
  await frame.locator('iframe.ck-frame').contentFrame().getByText('Rain').waitFor()
})

const headersOf = async (path: string) => (await fetch(app.parley + path)).headers

test('[D7] the policy allows no inline script and lets in the listed origins and no others', async () => {
  const policy = (await headersOf('/chat')).get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';")
  expect(policy).toMatch(new RegExp(`frame-ancestors 'self' ${app.url}$`))
  expect(policy).not.toContain('unsafe')
  expect((await headersOf('/chat')).get('x-frame-options')).toBe(null)
  expect((await headersOf('/chat/card')).get('content-security-policy')).toMatch(
    /^sandbox allow-scripts; default-src 'none';/,
  )
})

test('the address takes what it says, escaped, and refuses everything else by name', async () => {
  const page = await (
    await fetch(`${app.parley}/chat?heading=${encodeURIComponent('"><script>alert(1)</script>')}`)
  ).text()
  expect(page).toContain('&quot;&gt;&lt;script&gt;')
  expect(page).not.toContain('<script>alert')
  for (const query of ['token=x', 'theme=sepia', 'locale=%22x', `heading=${'x'.repeat(81)}`, 'mode=modal']) {
    const refused = await fetch(`${app.parley}/chat?${query}`)
    expect([query, refused.status, await refused.text()]).toEqual([
      query,
      422,
      expect.stringContaining(query.split('=')[0]!),
    ])
  }
})

test.each([320, 420, 900, 1200])(
  '[KB8] at %i pixels it has no fault that axe knows, in both themes and languages',
  async (width) => {
    for (const theme of ['light', 'dark'])
      for (const locale of ['en', 'zh-CN']) {
        await using opened = await app.openAddress(
          `${app.url}/host.html?${new URLSearchParams({ chat: `${app.parley}/chat?theme=${theme}&locale=${locale}&heading=Rhine`, trust: app.parley, token: KEY })}`,
          { viewport: { width, height: 700 } },
        )
        const { page } = opened
        const frame = await chatIn(page)
        await box(frame).fill('hello')
        await box(frame).press('Enter')
        await said(frame, 'Heard: hello')
        await frame.getByRole('button', { name: /^(?:Send|发送)$/ }).waitFor()
        await page.screenshot({ path: join(shots, `${width}-${theme}-${locale}.png`) })
        await page.goto(`${app.parley}/chat?theme=${theme}&locale=${locale}&heading=Rhine`)
        await page.locator('.ck-composer-text').waitFor()
        expect(await axeViolations(page)).toEqual([])
        expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
      }
  },
)
