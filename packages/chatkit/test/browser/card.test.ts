/** Cards and diagrams on pages whose policy keeps inline scripts out, and the page that helps there. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser, type TestBrowser } from './open-browser.ts'

let browser: TestBrowser
/** The page again, under a policy that lets the helper's frame in and still no inline script. */
let strict: string
let frameUrl: string
const parts = new AsyncDisposableStack()
beforeAll(async () => {
  const html = await readFile(join(import.meta.dirname, 'card-frame.html'))
  const helper = await listen((_, response) => {
    const policy = `default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; frame-ancestors ${strict}`
    response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy }).end(html)
  })
  strict = await listen((request, response) => void forward(request, response, helper))
  frameUrl = `${helper}/card-frame.html`
  browser = parts.use(await openBrowser({ servers: [helper, strict] }))
})
afterAll(() => parts.disposeAsync())

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  parts.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function forward(request: IncomingMessage, response: ServerResponse, frameOrigin: string): Promise<void> {
  const found = await fetch(browser.url + request.url)
  const policy = found.headers.get('content-security-policy')?.replace('frame-src', `frame-src ${frameOrigin}`) ?? ''
  const type = found.headers.get('content-type') ?? ''
  response
    .writeHead(found.status, { 'content-type': type, 'content-security-policy': policy })
    .end(Buffer.from(await found.arrayBuffer()))
}

async function openStrict(page: Page, query: string): Promise<void> {
  await page.goto(`${strict}/index.html?${query}&frame=${encodeURIComponent(frameUrl)}`)
  await page.waitForFunction(() => 'test' in window)
}

describe('[K16.5] cards under a policy without unsafe-inline', () => {
  test('[K16.5] a card still shows its static HTML, and the host is told once', async () => {
    await using opened = await browser.open('scene=frames&mode=assistant')
    const { page } = opened
    await page.frameLocator('iframe').getByText('1.24 m').waitFor()
    await page.waitForFunction(() => window.test.reported.length > 0)
    expect(await page.evaluate(() => window.test.reported)).toEqual(['unsupported'])
    await page.evaluate(() => window.test.kit.loadConversation('diagram'))
    await page.locator('.ck-diagram-frame').first().waitFor({ state: 'attached' })
    await page.waitForFunction(() => document.querySelectorAll('iframe').length === 0)
    expect(await page.evaluate(() => window.test.reported)).toEqual(['unsupported'])
  })

  test('[K16.5] with security.cardFrame the card lives, in an origin of its own and without network', async () => {
    await using opened = await browser.open('')
    const { page, foreign } = opened
    await openStrict(page, 'scene=frames&mode=assistant')
    await page.waitForFunction(() => window.test.bridged.length >= 2)
    const frame = page.locator(`iframe[src="${frameUrl}"]`)
    expect(await frame.getAttribute('sandbox')).toBe('allow-scripts')
    const bridged = await page.evaluate(() => window.test.bridged)
    expect(bridged).toContainEqual(['map.highlight', { origin: 'null', reach: 'blocked' }])
    expect(bridged).toContainEqual(['fetch', 'refused'])
    expect([foreign, await page.evaluate(() => window.test.reported)]).toEqual([[], []])
  })

  test('[K16.5] with security.cardFrame a diagram is drawn', async () => {
    await using opened = await browser.open('')
    const { page } = opened
    await openStrict(page, 'scene=diagram&mode=assistant')
    await page.locator('.ck-diagram-frame:not(.ck-diagram-hidden)').first().waitFor()
    await page.frameLocator('.ck-diagram-frame').first().getByText('Read the gauges').waitFor()
    expect(await page.evaluate(() => window.test.reported)).toEqual([])
  })

  test('[K16.5] another page cannot use the helper to get at what a card says', async () => {
    await using opened = await browser.open('')
    const { page } = opened
    await openStrict(page, 'scene=frames&mode=assistant')
    await page.waitForFunction(() => window.test.bridged.length >= 2)
    const count = await page.evaluate(async () => {
      const before = window.test.bridged.length
      // Not from the frame: asking for the document again, and an action, both as this window.
      window.postMessage({ type: 'ck:frame' }, '*')
      window.postMessage({ type: 'ck:bridge', action: 'stolen', payload: 1 }, '*')
      // Messages come in order: when this one is here, those were.
      const last = new Promise((resolve) => addEventListener('message', ({ data }) => data === 'last' && resolve(data)))
      window.postMessage('last', '*')
      await last
      return window.test.bridged.length - before
    })
    expect(count).toBe(0)
  })
})

describe('[K14] page previews', () => {
  test('[K14] a page preview can be enlarged, and still waits for a click', async () => {
    await using opened = await browser.open('scene=frames&mode=assistant', { hasPolicy: false })
    const { page, foreign } = opened
    await page.getByRole('button', { name: 'Enlarge' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'A foreign page' })
    await dialog.getByRole('button', { name: 'Load page' }).waitFor()
    expect(foreign).toEqual([])
    await dialog.getByRole('button', { name: 'Load page' }).click()
    expect((await dialog.locator('iframe').boundingBox())!.height).toBeGreaterThan(700)
  })

  test('[K16.3] of a card whose part cannot be loaded its title stays', async () => {
    await using opened = await browser.open('mode=assistant', { hasPolicy: false })
    const { page } = opened
    await page.route(/rich-views/, (route) => route.abort())
    const failed = page.waitForEvent('requestfailed')
    await page.evaluate(() => window.test.kit.loadConversation('frames'))
    await failed
    expect(await page.getByText('Gauge card').isVisible()).toBe(true)
    expect(await page.evaluate(() => window.test.errors)).toEqual([])
  })
})

describe('[K14] actions for the page', () => {
  test('[K14] a card’s action and a tool’s action reach onBridge and, once, the root as chatkit:bridge', async () => {
    await using opened = await browser.open('mode=assistant', { hasPolicy: false })
    const { page } = opened
    await page.evaluate(() => {
      const heard: unknown[] = []
      Object.assign(window, { heard })
      document.querySelector('.ck-root')!.addEventListener('chatkit:bridge', (event) => {
        const { target, currentTarget } = event
        heard.push([(event as CustomEvent<unknown>).detail, target === currentTarget])
      })
    })
    void page.evaluate(() => window.test.kit.send('Go'))
    await page.locator('.ck-waiting').waitFor()
    await page.evaluate(() => {
      const action = { op: 'bridge', action: 'map.show', payload: { at: 1 }, id: 'tc_1:0', toolCallID: 'tc_1' } as const
      window.test.push(action)
      window.test.push(action)
      const html = `<script>parent.postMessage({type:'ck:bridge',action:'card.go',payload:2},'*')</script>`
      const content = { target: 'inline', resourceHTML: html, toolCallID: 'tc_2' } as const
      window.test.push({ op: 'block', block: { type: 'UiCard', key: 'ui', content } })
      window.test.finish()
    })
    await page.waitForFunction(() => (window as unknown as { heard: unknown[] }).heard.length >= 2)
    expect(await page.evaluate(() => (window as unknown as { heard: unknown[] }).heard)).toEqual([
      [{ action: 'map.show', payload: { at: 1 }, toolCallID: 'tc_1' }, true],
      [{ action: 'card.go', payload: 2, toolCallID: 'tc_2' }, true],
    ])
    expect(await page.evaluate(() => window.test.bridged)).toEqual([
      ['map.show', { at: 1 }],
      ['card.go', 2],
    ])
  })
})
