/** `<parley-chat>` as the bundle defines it, against a scripted server that sees every request and every connection. */
import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { setUp, type Setup } from '../../../client/test/fast-client.ts'
import { KEY, type Script, type ScriptedServer } from '../../../client/test/scripted-server.ts'
import type { ParleyChatElement } from '../../src/element/parley-chat-element.ts'
import { embedFile } from './embed-file.ts'
import { launchChromium, PATIENCE_MS } from './open-browser.ts'

declare global {
  interface Window {
    chat: ParleyChatElement
    heard: [name: string, detail: unknown][]
    asked: number
  }
}

let browser: Browser
let bundle: string
beforeAll(async () => {
  bundle = await readFile(embedFile, 'utf8')
  browser = await launchChromium()
})
afterAll(() => browser.close())

const EVENTS = ['bridge', 'error', 'message', 'conversation', 'close']
type Stage = Setup & { page: Page; errors: string[]; load: () => Promise<void> }

/** A page of the server's own origin, with the bundle and one element that is not yet in the page. */
async function stage({ isLoaded = true } = {}): Promise<Stage> {
  const setup = await setUp()
  const context = await browser.newContext({ viewport: { width: 900, height: 700 } })
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(String(error)))
  await page.goto(`${setup.server.url}/api/version`)
  // As a module: there is no tag to read, so there is no launcher.
  const load = async () => {
    await page.addScriptTag({ content: bundle, type: 'module' })
    // A module runs after its tag is there.
    await page.waitForFunction(() => customElements.get('parley-chat') !== undefined)
  }
  if (isLoaded) await load()
  await page.evaluate((names) => {
    window.heard = []
    window.asked = 0
    for (const name of names)
      document.addEventListener(`chatkit:${name}`, (event) =>
        window.heard.push([name, (event as CustomEvent<unknown>).detail]),
      )
    document.documentElement.lang = 'en'
    document.body.replaceChildren()
    window.chat = document.createElement('parley-chat')
  }, EVENTS)
  const dispose = async () => {
    await context.close()
    await setup[Symbol.asyncDispose]()
  }
  return { ...setup, page, errors, load, [Symbol.asyncDispose]: dispose }
}

const mount = (page: Page, attributes: Record<string, string> = {}) =>
  page.evaluate((all) => {
    for (const [name, value] of Object.entries(all)) window.chat.setAttribute(name, value)
    document.body.append(window.chat)
  }, attributes)
const send = (page: Page, text: string) => page.evaluate(async (words) => void (await window.chat.send(words)), text)
/** Errors as their own fields: across the wire to the test they would be their message alone. */
const heard = (page: Page, name: string) =>
  page.evaluate(
    (wanted) =>
      window.heard
        .filter(([event]) => event === wanted)
        .map(([, detail]) => (detail instanceof Error ? { ...detail } : detail)),
    name,
  )
/** Requests without a token. The version is for everybody, a login is renewed by its cookie, a browser asks for icons. */
const unsigned = ({ requests }: ScriptedServer) =>
  requests.filter(({ url, authorization }) => !authorization && !/version|auth\/refresh|favicon/.test(url))

test('talks to the server with the token of its attribute, and tells the page what happens', async () => {
  await using at = await stage()
  const { page, server, errors } = at
  await mount(page, { token: KEY })
  await send(page, 'hello')
  await page.locator('.ck-md', { hasText: '巴黎' }).waitFor()
  expect(await heard(page, 'conversation')).toEqual([{ conversationID: 'sess_1' }])
  expect(await heard(page, 'message')).toMatchObject([{ role: { type: 'User' } }, { role: { type: 'Assistant' } }])
  expect(await heard(page, 'error')).toEqual([])
  expect(server.handshakes.at(-1)).toMatchObject({ token: KEY })
  expect(errors).toEqual([])
})

test('attributes and properties that change are followed, and the conversation stays', async () => {
  await using at = await stage()
  const { page } = at
  await mount(page, { token: KEY, theme: 'dark', heading: 'Help' })
  await send(page, 'hello')
  const root = page.locator('.ck-root')
  expect(await root.getAttribute('data-theme')).toBe('dark')
  expect(await root.getAttribute('aria-label')).toBe('Help')
  await page.evaluate(() => {
    window.chat.theme = 'light'
    window.chat.heading = 'Desk'
    window.chat.mode = 'assistant'
  })
  await page.locator('.ck-root.ck-assistant[data-theme=light][aria-label=Desk]').waitFor()
  await page.locator('.ck-composer-text').fill('half a thought')
  await page.evaluate(() => window.chat.setAttribute('locale', 'zh'))
  await page.getByRole('button', { name: '发送' }).waitFor()
  await page.locator('.ck-md', { hasText: '巴黎' }).waitFor()
  expect(await page.locator('.ck-composer-text').inputValue()).toBe('half a thought')
  await page.evaluate(() => window.chat.removeAttribute('theme'))
  await page.locator('.ck-root[data-theme=auto]').waitFor()
})

test('the session attribute opens a conversation, another one replaces it, none clears it', async () => {
  await using at = await stage()
  const { page, client } = at
  const ids: string[] = []
  for (const text of ['one', 'two']) {
    using session = await client.sessions.create({ intent: text })
    await session.send(text)
    ids.push(session.id)
  }
  await mount(page, { token: KEY, session: ids[0]! })
  await page.getByText('one', { exact: true }).waitFor()
  await page.evaluate((id) => {
    window.chat.session = id
  }, ids[1]!)
  await page.getByText('two', { exact: true }).waitFor()
  expect(await page.getByText('one', { exact: true }).count()).toBe(0)
  await page.evaluate(() => window.chat.removeAttribute('session'))
  await page.getByText('two', { exact: true }).waitFor({ state: 'detached' })
})

test('taken out of the page it closes its connection; only moved, it keeps it', async () => {
  await using at = await stage()
  const { page, server } = at
  await mount(page, { token: KEY })
  await send(page, 'hello')
  await vi.waitFor(() => expect(server.connections()).toBe(1))
  const { handshakes } = server
  const before = handshakes.length
  await page.evaluate(() => {
    const place = document.createElement('section')
    document.body.append(place)
    place.append(window.chat)
  })
  await page.locator('section .ck-md', { hasText: '巴黎' }).waitFor()
  expect([server.connections(), handshakes.length]).toEqual([1, before])
  await page.evaluate(() => window.chat.remove())
  await vi.waitFor(() => expect(server.connections()).toBe(0), { timeout: 45_000 })
  expect(await page.evaluate(() => window.chat.shadowRoot!.querySelector('.ck-root'))).toBe(null)
  await mount(page)
  await page.locator('.ck-composer-text').waitFor()
})

test('[K10] getToken is asked before the first request, and once more when its token is refused', async () => {
  await using at = await stage()
  const { page, server } = at
  server.keys = new Set(['first', 'second'])
  await page.evaluate(() => {
    window.chat.getToken = async () => ['first', 'second'][window.asked++] ?? ''
  })
  await mount(page)
  await send(page, 'hello')
  expect(await page.evaluate(() => window.asked)).toBe(1)
  server.revoke('first')
  await send(page, 'again')
  expect(await page.evaluate(() => window.asked)).toBe(2)
  expect(server.handshakes.at(-1)).toMatchObject({ token: 'second' })
  expect(unsigned(server)).toEqual([])
})

test('[K10] getToken set after the element came into the page still comes before the first request', async () => {
  await using at = await stage()
  const { page, server } = at
  await mount(page)
  await page.locator('.ck-composer-text').fill('hello')
  await page.evaluate((key) => {
    window.chat.getToken = () => key
  }, KEY)
  await page.locator('.ck-composer-text').press('Enter')
  await page.locator('.ck-md', { hasText: '巴黎' }).waitFor()
  expect(unsigned(server)).toEqual([])
})

test('a getToken that fails is reported, and the chat is there all the same', async () => {
  await using at = await stage()
  const { page } = at
  await page.evaluate(() => {
    window.chat.getToken = () => Promise.reject(new Error('signed out'))
  })
  await mount(page)
  await page.locator('.ck-composer-text').waitFor()
  expect(await heard(page, 'error')).toMatchObject([{ code: 'auth' }])
})

test('properties that were set before the script was loaded count', async () => {
  await using at = await stage({ isLoaded: false })
  const { page, load } = at
  await page.evaluate((key) => {
    Object.assign(window.chat, { getToken: () => key, bridgeActions: ['map.show'], heading: 'Early' })
  }, KEY)
  await mount(page)
  await load()
  await page.locator('.ck-root[aria-label=Early]').waitFor()
  await send(page, 'hello')
  expect(await page.evaluate(() => window.chat.bridgeActions)).toEqual(['map.show'])
  await load()
})

const bridging: Script = async (session, { message }) => {
  await session.start()
  await session.user(String(message))
  const blocks = ['map.show', 'page.leave'].map((action) => ({
    type: 'tool_bridge',
    content: { action, payload: { at: 1 } },
    tool_call_id: `tc_${action}`,
    tool_name: 'Map',
    display_name: null,
  }))
  const turn = await session.assistant({ blocks } as object)
  await turn.say('There.')
  await turn.end()
  await session.end()
}

test('[K14] only actions on the page’s list reach it, each once and none from history', async () => {
  await using at = await stage()
  const { page, server } = at
  server.scripts['bridge'] = bridging
  await mount(page, { token: KEY, 'bridge-actions': 'map.show map.hide' })
  await send(page, 'bridge')
  expect(await heard(page, 'bridge')).toEqual([
    { action: 'map.show', payload: { at: 1 }, toolCallID: expect.stringContaining('tc_map.show') },
  ])
  expect(await heard(page, 'error')).toMatchObject([{ code: 'forbidden' }])
  await page.evaluate(() => window.chat.setAttribute('locale', 'zh')) // The conversation is read again.
  await page.getByRole('button', { name: '发送' }).waitFor()
  await page.getByText('There.').waitFor()
  expect(await heard(page, 'bridge')).toHaveLength(1)
})

test('[K10] the token is in no address, no storage and no cookie', async () => {
  await using at = await stage()
  const { page, server } = at
  const addresses: string[] = []
  page.on('request', (request) => addresses.push(request.url()))
  page.on('websocket', (socket) => addresses.push(socket.url()))
  await page.evaluate((key) => {
    window.chat.getToken = () => key
  }, KEY)
  await mount(page)
  await send(page, 'hello')
  const kept = await page.evaluate(() => [
    ...Object.values({ ...localStorage }),
    ...Object.values({ ...sessionStorage }),
    document.cookie,
    document.documentElement.outerHTML,
  ])
  expect([...addresses, ...server.requests.map(({ url }) => url), ...kept].join('\n')).not.toContain(KEY)
  expect(addresses.length).toBeGreaterThan(1)
})

test('two elements on one page are two chats', async () => {
  await using at = await stage()
  const { page } = at
  await mount(page, { token: KEY })
  await page.evaluate((token) => {
    const second = document.createElement('parley-chat')
    second.id = 'second'
    second.token = token
    document.body.append(second)
  }, KEY)
  await send(page, 'hello')
  await page.locator('#second .ck-composer-text').waitFor()
  expect(await page.locator('#second').getByText('hello', { exact: true }).count()).toBe(0)
})

test('focus goes to the text box, as soon as there is one', async () => {
  await using at = await stage()
  const { page } = at
  await page.evaluate((token) => {
    window.chat.token = token
    document.body.append(window.chat)
    window.chat.focus()
  }, KEY)
  await page.waitForFunction(() => window.chat.shadowRoot!.activeElement?.className === 'ck-composer-text')
})

test('what is asked of an element outside the page is refused with the reason', async () => {
  await using at = await stage()
  const { page } = at
  const refusal = await page.evaluate(() => window.chat.send('hello').catch((error: { code: string }) => error.code))
  expect(refusal).toBe('unsupported')
})
