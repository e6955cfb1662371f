/** [W14.7] The chat in an iframe of another origin, and the page around it. */
import type { Frame, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answered, box, choose } from './do-in-chat.ts'
import { type App, openApp } from './open-app.ts'

let app: App
beforeAll(async () => {
  app = await openApp()
}, 120_000)
afterAll(() => app[Symbol.asyncDispose]())

type Host = {
  chat: {
    addContext(context: object): void
    appendInput(text: string): void
    sendMessage(message?: unknown): void
    uploadSessionSkill(skill: object): void
    post(action: string, payload?: unknown): void
  }
  heard: unknown[][]
  errors: { code: string }[]
}

/** The page around the chat, which lets in only those origins. */
async function openHost(around: string, { allow = app.hostUrl, trust = app.url } = {}) {
  const chat = app.address(`allow=${allow}`)
  return app.openAddress(`${around}/host.html?${new URLSearchParams({ chat, trust })}`)
}

const heard = (page: Page) => page.evaluate(() => (window as unknown as Host).heard)
const until = (page: Page, action: string) =>
  page.waitForFunction((name) => (window as unknown as Host).heard.some(([heard]) => heard === name), action)

async function chatIn(page: Page): Promise<Frame> {
  const frame = (await (await page.waitForSelector('#chat')).contentFrame())!
  await box(frame).waitFor()
  return frame
}

test('[W14.7] the page adds contexts, writes into the input and sends; the agent acts on the page', async () => {
  await using opened = await openHost(app.hostUrl)
  const { page, problems } = opened
  // Asked before the chat is ready: it waits.
  await page.evaluate(() =>
    (window as unknown as Host).chat.addContext({ label: 'Region', content: { name: 'Zhejiang' } }),
  )
  const frame = await chatIn(page)
  await until(page, 'ready')
  await frame.locator('.ak-pills', { hasText: 'Region' }).waitFor()
  await choose(frame, 'Scripted')
  await page.evaluate(() => (window as unknown as Host).chat.appendInput('highlight the'))
  await page.evaluate(() => (window as unknown as Host).chat.appendInput('cities'))
  await frame.waitForFunction(() => document.querySelector('textarea')?.value === 'highlight the cities')
  await page.evaluate(() => (window as unknown as Host).chat.sendMessage())
  await answered(frame, 'Look at the page')
  expect(app.lastQuestion()).toMatch(/^【上下文: Region】.*Zhejiang.*highlight the cities$/s)
  await until(page, 'map.highlight')
  expect(await heard(page)).toEqual([
    ['ready'],
    ['map.highlight', { cityIds: ['hangzhou', 'ningbo'] }, expect.stringMatching(/\w/)],
  ])
  expect(problems).toEqual([])
})

test('[W14.7] a message with a text is sent as it is; the draft stays', async () => {
  await using opened = await openHost(app.hostUrl)
  const { page } = opened
  const frame = await chatIn(page)
  await until(page, 'ready')
  await choose(frame, 'Scripted')
  await box(frame).fill('half a thought')
  await page.evaluate(() => (window as unknown as Host).chat.sendMessage('good morning'))
  await answered(frame, 'Heard: good morning')
  expect(await box(frame).inputValue()).toBe('half a thought')
})

const uploadTides = (page: Page) =>
  page.evaluate(() =>
    (window as unknown as Host).chat.uploadSessionSkill({
      name: 'acme/tides',
      files: [
        {
          path: 'SKILL.md',
          content: '---\nname: tides\ndisplay_name: Tides\ndescription: Tells the tides\n---\nLook.',
        },
      ],
    }),
  )

test('[W14.7] a skill is uploaded; what cannot be done comes back as an error', async () => {
  await using opened = await openHost(app.hostUrl)
  const { page } = opened
  const frame = await chatIn(page)
  await until(page, 'ready')
  await uploadTides(page)
  await frame.locator('.ak-skills', { hasText: 'Tides' }).waitFor()
  const codes = async (count: number) => {
    await page.waitForFunction((wanted) => (window as unknown as Host).errors.length === wanted, count)
    return page.evaluate(() => (window as unknown as Host).errors.map(({ code }) => code))
  }
  await page.evaluate(() => (window as unknown as Host).chat.post('formatDisk'))
  expect(await codes(1)).toEqual(['invalid_payload'])
  await page.evaluate(() => (window as unknown as Host).chat.post('addContext', 'no label'))
  expect(await codes(2)).toEqual(['invalid_payload', 'invalid_payload'])
})

test('an uploaded skill stays, also when the list that was read before it comes late', async () => {
  await using opened = await openHost(app.hostUrl)
  const { page } = opened
  const late = Promise.withResolvers<void>()
  const isLate = Promise.withResolvers<void>()
  await page.route('**/api/sessions/*/skills', async (route) => {
    const empty = await route.fetch()
    isLate.resolve()
    await late.promise
    await route.fulfill({ response: empty })
  })
  await page.reload()
  const frame = await chatIn(page)
  await until(page, 'ready')
  await isLate.promise
  await uploadTides(page)
  const tides = frame.locator('.ak-skills', { hasText: 'Tides' })
  await tides.waitFor()
  const arrived = page.waitForResponse('**/api/sessions/*/skills')
  late.resolve()
  await (await arrived).finished()
  // Two frames are drawn: what came is shown by then.
  await frame.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
  expect(await tides.isVisible()).toBe(true)
})

test('[W14.7] a page that listens only after the chat was ready still gets through', async () => {
  await using opened = await openHost(app.hostUrl)
  const { page } = opened
  const frame = await chatIn(page)
  await until(page, 'ready')
  await page.evaluate((origin) => {
    type Late = Host & { connectEmbedded(options: object): Host['chat'] }
    const host = window as unknown as Late
    const iframe = document.querySelector('#chat')
    const late = host.connectEmbedded({ iframe, allowedOrigins: [origin], onReady: () => host.heard.push(['late']) })
    late.appendInput('better late')
  }, app.url)
  await until(page, 'late')
  await frame.waitForFunction(() => document.querySelector('textarea')?.value === 'better late')
})

/** Sends to a window as a page that ignores the rules would, then something that the receiver must notice. */
const requestOf = (action: string, payload: unknown) => ({
  __bladeBridge: true,
  direction: 'host-to-agent',
  action,
  payload,
})

test('[W14.7] a page of an origin that is not on the list gets nothing and is not heard', async () => {
  await using opened = await openHost(app.strangerUrl)
  const { page } = opened
  const frame = await chatIn(page)
  await page.evaluate(
    (envelope) => document.querySelector<HTMLIFrameElement>('#chat')!.contentWindow!.postMessage(envelope, '*'),
    requestOf('appendInput', 'from a stranger'),
  )
  // Messages keep their order: once this one has come, the one before it was seen and refused.
  await seen(page, frame)
  expect(await box(frame).inputValue()).toBe('')
  expect(await heard(page)).toEqual([])
})

test('[W14.7] a window that is not the parent is not heard, even from an origin on the list', async () => {
  await using opened = await openHost(app.hostUrl)
  const { page } = opened
  const frame = await chatIn(page)
  await until(page, 'ready')
  // A frame beside the chat, of the same origin as the page around it.
  await page.evaluate(() => {
    const sibling = Object.assign(document.createElement('iframe'), { id: 'sibling', src: '/nothing' })
    document.body.append(sibling)
    return new Promise((resolve) => sibling.addEventListener('load', resolve))
  })
  const sibling = (await (await page.waitForSelector('#sibling')).contentFrame())!
  await sibling.evaluate(
    (envelope) => parent.document.querySelector<HTMLIFrameElement>('#chat')!.contentWindow!.postMessage(envelope, '*'),
    requestOf('appendInput', 'from a sibling'),
  )
  await seen(page, frame)
  expect(await box(frame).inputValue()).toBe('')
})

test('[W14.7] before its list is set, the chat accepts no message', async () => {
  await using opened = await openHost(app.hostUrl, { allow: '' })
  const { page } = opened
  const frame = await chatIn(page)
  await page.evaluate(
    (envelope) => document.querySelector<HTMLIFrameElement>('#chat')!.contentWindow!.postMessage(envelope, '*'),
    requestOf('appendInput', 'too early'),
  )
  await seen(page, frame)
  expect(await box(frame).inputValue()).toBe('')
  expect(await heard(page)).toEqual([])
})

test('[W14.7] the page around the chat does not hear an origin that it does not trust', async () => {
  await using opened = await openHost(app.hostUrl, { trust: app.strangerUrl })
  const { page } = opened
  const frame = await chatIn(page)
  await frame.evaluate(() =>
    window.parent.postMessage({ __bladeBridge: true, direction: 'agent-to-host', action: 'map.highlight' }, '*'),
  )
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        addEventListener('message', resolve, { once: true })
        postMessage('mine', location.origin)
      }),
  )
  expect(await heard(page)).toEqual([])
})

test.each(['*', 'null', 'https://app.example.com/path', 'app.example.com'])(
  '[W14.7] "%s" is no origin to allow',
  async (origin) => {
    await using opened = await app.openAddress(
      `${app.hostUrl}/host.html?${new URLSearchParams({ chat: app.address() })}`,
    )
    const refused = opened.page.evaluate((given) => {
      const { connectEmbedded } = window as unknown as { connectEmbedded(options: object): void }
      connectEmbedded({ iframe: document.querySelector('#chat'), allowedOrigins: [given] })
    }, origin)
    await expect(refused).rejects.toThrow('allowedOrigins takes origins')
  },
)

/** Resolves once the chat has received a message that was sent after those before. */
async function seen(page: Page, frame: Frame): Promise<void> {
  const mark = `mark ${Math.random()}`
  const arrived = frame.evaluate(
    (text) =>
      new Promise<void>((resolve) => {
        const look = ({ data }: MessageEvent<unknown>) => {
          if (data !== text) return
          removeEventListener('message', look)
          resolve()
        }
        addEventListener('message', look)
        Object.assign(window, { isListening: true })
      }),
    mark,
  )
  await frame.waitForFunction(() => 'isListening' in window)
  await page.evaluate(
    (text) => document.querySelector<HTMLIFrameElement>('#chat')!.contentWindow!.postMessage(text, '*'),
    mark,
  )
  await arrived
  await frame.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
}
