import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser, type TestBrowser } from './open-browser.ts'

let browser: TestBrowser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser[Symbol.asyncDispose]())

describe('[K16.4] safety in the page', () => {
  // Without a policy: the kit alone must hold. With one: it must work under it.
  test.each([false, true])(
    '[K16.4] nothing a model writes runs, loads or restyles anything (host policy: %s)',
    async (hasPolicy) => {
      await using opened = await browser.open('mode=assistant&scene=hostile', { hasPolicy })
      const { page, foreign } = opened
      const violations: string[] = []
      page.on('console', (message) => {
        if (/Content Security Policy|Refused to/i.test(message.text())) violations.push(message.text())
      })
      await page.locator('.ck-row').last().waitFor()
      for (const link of await page.locator('.ck-body a[href^="javascript"], .ck-body a[href^="data"]').all())
        await link.click()
      const found = await page.evaluate(() => ({
        pwned: window.__pwned,
        display: getComputedStyle(document.body).display,
        elements: document.querySelectorAll(
          '.ck-body :is(script, style, iframe, object, embed, form, meta, link, base, video, input)',
        ).length,
        handlers: [...document.querySelectorAll('.ck-body *')].filter((element) =>
          element.getAttributeNames().some((name) => name.startsWith('on')),
        ).length,
        rows: document.querySelectorAll('.ck-row').length,
        errors: window.test.errors,
      }))
      expect(found).toMatchObject({ display: 'block', elements: 0, handlers: 0, errors: [] })
      expect(found.pwned).toBeUndefined()
      expect(found.rows).toBeGreaterThan(40)
      expect(foreign).toEqual([])
      expect(violations).toEqual([])
    },
  )

  test('[K16.4] favicons and images of foreign hosts are not asked for; a click loads the image', async () => {
    await using opened = await browser.open('mode=assistant&scene=agent', { hasPolicy: false })
    const { page, foreign } = opened
    await page.getByRole('button', { name: /Searched the web/ }).click()
    await page.getByText('Gauge report').waitFor()
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0)
    expect(foreign).toEqual([])
    await page.evaluate(() => window.test.renderMarkdown('md', '![a](https://evil.example/x.png)', false))
    await page.locator('#md').getByRole('button', { name: 'Load image' }).click()
    await expect.poll(() => foreign, { timeout: 45_000 }).toEqual(['https://evil.example/x.png'])
  })

  test('[K16.4] the token and other props of the store are not put into the page', async () => {
    await using opened = await browser.open('mode=assistant')
    const attributes = await opened.page.evaluate(() => document.querySelector('.ck-root')!.getAttributeNames().sort())
    expect(attributes).toEqual(['aria-label', 'class', 'data-theme', 'lang', 'part', 'role'])
  })
})

describe('[K16.5] frames', () => {
  test('[K16.5] a card runs in an origin of its own, sees nothing of the page and reaches no network', async () => {
    await using opened = await browser.open('mode=assistant&scene=frames', { hasPolicy: false })
    const { page, foreign } = opened
    await page.waitForFunction(() => window.test.bridged.length >= 2)
    const [sandbox, bridged] = await page.evaluate(
      () => [document.querySelector('iframe')!.getAttribute('sandbox'), window.test.bridged] as const,
    )
    expect(sandbox).toBe('allow-scripts')
    expect(bridged).toContainEqual(['map.highlight', { origin: 'null', reach: 'blocked' }])
    expect(bridged).toContainEqual(['fetch', 'refused'])
    expect(foreign).toEqual([])
  })

  test('[K16.5] messages of another window are ignored, and so is what is not a known message', async () => {
    await using opened = await browser.open('mode=assistant&scene=frames', { hasPolicy: false })
    const { page } = opened
    await page.waitForFunction(() => window.test.bridged.length >= 2)
    const after = await page.evaluate(async () => {
      const before = window.test.bridged.length
      const other = document.createElement('iframe')
      other.srcdoc = `<script>parent.postMessage({type:'ck:bridge',action:'stolen'},'*');parent.postMessage('done','*')</script>`
      const heard = new Promise((resolve) =>
        addEventListener('message', ({ data }) => data === 'done' && resolve(undefined)),
      )
      document.body.append(other)
      window.postMessage({ type: 'ck:bridge', action: 'stolen' }, '*')
      await heard
      return window.test.bridged.length - before
    })
    expect(after).toBe(0)
  })

  test('[K16.5] a foreign page waits for a click, and an unsafe address is never framed', async () => {
    await using opened = await browser.open('mode=assistant&scene=frames', { hasPolicy: false })
    const { page, foreign } = opened
    await page.getByText('This address cannot be opened here.').waitFor()
    // The card's own frame.
    await page.locator('iframe').waitFor()
    expect(await page.locator('iframe').count()).toBe(1)
    await page.getByRole('button', { name: 'Load page' }).click()
    const frame = page.locator('iframe[src]')
    await frame.waitFor()
    expect(await frame.getAttribute('sandbox')).toBe('allow-scripts allow-forms allow-popups allow-same-origin')
    expect(await frame.getAttribute('referrerpolicy')).toBe('no-referrer')
    await page.waitForFunction(() => document.querySelectorAll('iframe').length === 2)
    expect(foreign).toEqual(['https://evil.example/page'])
  })
})
