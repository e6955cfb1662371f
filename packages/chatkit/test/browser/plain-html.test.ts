/** The example on a plain page: the script tag, the launcher and the panel, against a real server with the demo model. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findProblems } from './find-problems.ts'
import { PATIENCE_MS } from './open-browser.ts'
import { type Example, openExample } from './open-example.ts'

let example: Example
const shots = join(import.meta.dirname, '../../../../.test-shots/chatkit-embed')
beforeAll(async () => {
  example = await openExample()
  await mkdir(shots, { recursive: true })
})
afterAll(() => example[Symbol.asyncDispose]())

const launcher = (page: Page) => page.locator('parley-launcher .launcher')
const box = (page: Page) => page.locator('.ck-composer-text')
/** Resolves when no run is under way: the button sends again. */
const atRest = (page: Page) => page.getByRole('button', { name: /^(Send|发送)$/ }).waitFor({ timeout: PATIENCE_MS })

/** Opens the panel and waits until the chat stands. */
async function openPanel(page: Page): Promise<void> {
  await launcher(page).click()
  await box(page).waitFor()
}

async function ask(page: Page, question: string, answer: RegExp): Promise<void> {
  await box(page).fill(question)
  await box(page).press('Enter')
  await page.locator('.ck-md', { hasText: answer }).last().waitFor({ timeout: PATIENCE_MS })
  await atRest(page)
}

/** Where the focus really is, through shadow roots. */
const focused = (page: Page) =>
  page.evaluate(() => {
    let active = document.activeElement
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement
    return active ? `${active.tagName.toLowerCase()}.${active.className}` : ''
  })

describe('the launcher', () => {
  test('is reached with Tab, opens with Enter, closes with Escape, and the focus comes back', async () => {
    await using opened = await example.open('/index.html')
    const { page, problems, foreign } = opened
    await launcher(page).waitFor()
    for (let presses = 0; presses < 10 && (await focused(page)) !== 'button.launcher'; presses++)
      await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('button.launcher')
    expect(await launcher(page).getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press('Enter')
    await box(page).waitFor()
    expect(await launcher(page).getAttribute('aria-expanded')).toBe('true')
    expect(await focused(page)).toBe('textarea.ck-composer-text')
    await page.keyboard.type('hello there')
    await page.keyboard.press('Enter')
    await page.locator('.ck-md', { hasText: 'demo model' }).waitFor({ timeout: PATIENCE_MS })
    await atRest(page)
    await page.keyboard.press('Escape')
    expect(await focused(page)).toBe('button.launcher')
    expect(await launcher(page).getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press('Enter')
    expect(await page.locator('.ck-md', { hasText: 'demo model' }).isVisible()).toBe(true)
    expect(problems).toEqual([])
    expect(foreign).toEqual([])
  })

  test('asks for nothing and connects to nothing before it is opened', async () => {
    await using opened = await example.open('/index.html')
    const { page, base } = opened
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    page.on('websocket', (socket) => asked.push(socket.url()))
    await launcher(page).waitFor()
    expect(await page.evaluate(() => document.readyState)).toBe('complete')
    expect(asked).toEqual([])
    await openPanel(page)
    expect(asked).toContain(`${base}/token`)
  })

  test('open, close and toggle do what they say, and a button of the page gets its focus back', async () => {
    await using opened = await example.open('/index.html')
    const { page } = opened
    const isOpen = () => page.locator('parley-launcher dialog').evaluate((panel: HTMLDialogElement) => panel.open)
    await page.locator('#ask').focus()
    await page.keyboard.press('Enter')
    await page.getByText('Touring bicycle', { exact: true }).waitFor()
    await box(page).focus()
    await page.keyboard.press('Escape')
    expect(await isOpen()).toBe(false)
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('ask')
    await page.evaluate(() => window.ParleyChat!.toggle())
    expect(await isOpen()).toBe(true)
    await page.evaluate(() => window.ParleyChat!.close())
    expect(await isOpen()).toBe(false)
    await page.evaluate(() => window.ParleyChat!.open())
    await page.locator('parley-chat').getByRole('button', { name: 'Close', exact: true }).click()
    expect(await isOpen()).toBe(false)
  })

  test('Escape closes what is open inside the chat first', async () => {
    await using opened = await example.open('/index.html')
    const { page } = opened
    await openPanel(page)
    await page.getByRole('button', { name: 'History' }).click()
    await page.locator('.ck-history-list').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.ck-history-list').waitFor({ state: 'detached' })
    expect(await launcher(page).getAttribute('aria-expanded')).toBe('true')
    await page.keyboard.press('Escape')
    expect(await launcher(page).getAttribute('aria-expanded')).toBe('false')
  })

  test('on a narrow page it is a modal sheet that fills the page', async () => {
    await using opened = await example.open('/index.html', { viewport: { width: 390, height: 720 } })
    const { page } = opened
    await openPanel(page)
    const panel = page.locator('parley-launcher dialog')
    expect(await panel.evaluate((element) => element.matches(':modal'))).toBe(true)
    expect(await panel.boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 720 })
    await page.screenshot({ path: join(shots, 'narrow.png') })
    await page.setViewportSize({ width: 1000, height: 720 })
    await page.waitForFunction(() => {
      const root = document.querySelector('parley-launcher')!.shadowRoot!
      return root.querySelector('dialog')!.open && !root.querySelector('dialog')!.matches(':modal')
    })
    await box(page).focus()
    await page.keyboard.press('Escape')
    expect(await launcher(page).getAttribute('aria-expanded')).toBe('false')
  })

  test('works in a frame of another page', async () => {
    await using opened = await example.open('/outer')
    const { page } = opened
    const frame = page.frameLocator('iframe')
    await frame.locator('parley-launcher .launcher').click()
    await frame.locator('.ck-composer-text').fill('hello')
    await frame.locator('.ck-composer-text').press('Enter')
    await frame.locator('.ck-md', { hasText: 'demo model' }).waitFor({ timeout: PATIENCE_MS })
  })
})

describe('visitors', () => {
  test('each has a history of their own, also after a reload, and no key reaches a browser', async () => {
    await using anna = await example.open('/help.html')
    await using ben = await example.open('/help.html')
    const texts: Promise<string>[] = []
    for (const { page } of [anna, ben]) {
      page.on('response', (response) => texts.push(response.text().catch(() => '')))
      page.on('request', (request) => texts.push(Promise.resolve(JSON.stringify(request.headers()))))
      page.on('websocket', (socket) =>
        socket.on('framesent', ({ payload }) => texts.push(Promise.resolve(String(payload)))),
      )
    }
    const listed = async (page: Page) => {
      const rows = page.locator('.ck-history .ck-history-row')
      if ((await page.locator('.ck-history').count()) === 0) await page.getByRole('button', { name: 'History' }).click()
      await rows.first().waitFor()
      return rows.count()
    }
    await anna.page.reload()
    await ask(anna.page, 'hello, a secret', /demo model/)
    await ben.page.reload()
    await ask(ben.page, 'hello', /demo model/)
    expect(await listed(ben.page)).toBe(1)
    await anna.page.reload()
    await box(anna.page).waitFor()
    expect(await listed(anna.page)).toBe(1)
    const all = (await Promise.all(texts)).join('\n')
    expect(all).toContain('visitor-')
    expect(all).not.toContain('sk-blade')
    expect((await anna.page.context().cookies()).map(({ name, httpOnly }) => [name, httpOnly])).toEqual([
      ['visitor', true],
    ])
    const [first, second] = await Promise.all([anna, ben].map(({ page }) => page.context().cookies()))
    expect(first![0]!.value).not.toBe(second![0]!.value)
  })
})

describe('isolation', () => {
  test('the styles of the page do not change the chat', async () => {
    const looks: string[][] = []
    for (const isStyled of [true, false]) {
      await using opened = await example.open('/index.html', {
        edit: (html) => (isStyled ? html : html.replace('<link rel="stylesheet" href="page.css" />', '')),
      })
      const { page } = opened
      await openPanel(page)
      await ask(page, 'Write a long answer with headings, a table and code', /code|table/i)
      // They follow the answer, in their own time.
      await page.locator('.ck-questions').waitFor()
      looks.push(await page.locator('.ck-root').evaluate(describeLook))
    }
    const [styled, plain] = looks
    expect(plain!.length).toBeGreaterThan(50)
    expect(styled).toEqual(plain)
  })

  test('what the page hands down by inheritance stops at the element', async () => {
    const looks: string[][] = []
    for (const isStyled of [true, false]) {
      await using opened = await example.open('/help.html', {
        edit: (html) => (isStyled ? html : html.replace('<link rel="stylesheet" href="page.css" />', '')),
      })
      const { page } = opened
      await box(page).waitFor()
      // How much room there is, the page does decide.
      await page.locator('parley-chat').evaluate((chat: HTMLElement) => chat.style.setProperty('width', '700px'))
      looks.push(await page.locator('.ck-root').evaluate(describeLook))
    }
    expect(looks[0]).toEqual(looks[1])
  })

  test('the styles of the chat do not change the page', async () => {
    const looks: string[][] = []
    for (const hasChat of [true, false]) {
      await using opened = await example.open('/index.html', {
        edit: (html) => (hasChat ? html : html.replace(/<script defer src="embed.js".*?<\/script>/, '')),
      })
      const { page } = opened
      if (hasChat) {
        await openPanel(page)
        await page.evaluate(() => document.querySelector('parley-launcher')!.remove())
      }
      looks.push(await page.locator('html').evaluate(describeLook))
    }
    expect(looks[0]).toEqual(looks[1])
  })

  test('rules of the page that hit everything move neither the button nor the panel', async () => {
    const rude =
      '* { position: static !important; transform: scale(2) !important; color: red !important } parley-launcher, dialog { display: none !important }'
    await using opened = await example.open('/index.html')
    const { page } = opened
    const before = await launcher(page).boundingBox()
    await page.addStyleTag({ content: rude }).catch(() => undefined)
    await page.evaluate(
      (text) => {
        const sheet = new CSSStyleSheet()
        sheet.replaceSync(text)
        document.adoptedStyleSheets = [sheet]
      },
      rude.replace('transform: scale(2) !important;', ''),
    )
    expect(await launcher(page).boundingBox()).toEqual(before)
    await openPanel(page)
    expect(await page.locator('.ck-root').evaluate((root) => getComputedStyle(root).color)).toBe('rgb(27, 31, 38)')
  })
})

describe('looks', () => {
  const looks = ['light', 'dark'].flatMap((theme) => ['en', 'zh'].map((locale) => [theme, locale] as const))
  test.each(looks)('[K17.1] %s, %s: names, roles, contrast, targets', async (theme, locale) => {
    const edit = (html: string) => {
      const text = locale === 'zh' ? '咨询' : 'Ask us'
      const tag = `data-title="${text}" data-locale="${locale}" data-theme="${theme}"`
      return html.replace('data-title="Ask us"', tag)
    }
    await using opened = await example.open('/index.html', { edit })
    const { page } = opened
    await openPanel(page)
    await page.screenshot({ path: join(shots, `empty-${theme}-${locale}.png`) })
    await ask(
      page,
      locale === 'zh' ? '先思考再回答：9.11 和 9.9 哪个大？' : 'Think first: which is larger, 9.11 or 9.9?',
      locale === 'zh' ? /更大/ : /is larger/,
    )
    expect(await page.locator('.ck-root').evaluate(findProblems)).toEqual([])
    await page.screenshot({ path: join(shots, `answer-${theme}-${locale}.png`) })
  })

  test('the element stands in the page, as large as the page says', async () => {
    await using opened = await example.open('/help.html')
    const { page, problems } = opened
    await box(page).waitFor()
    expect(await page.evaluate(() => window.ParleyChat)).toBe(undefined)
    const { height } = (await page.locator('parley-chat').boundingBox())!
    expect(height).toBe(602)
    await ask(page, 'hello', /demo model/)
    await page.screenshot({ path: join(shots, 'help.png') })
    expect(problems).toEqual([])
  })
})

/** Runs in the page: every element below `root` and how it is drawn. Sizes that depend on time or text are left out. */
function describeLook(root: Element): string[] {
  const PROPERTIES = [
    ...['display', 'position', 'color', 'background-color', 'font-family', 'font-size', 'font-weight', 'line-height'],
    ...['letter-spacing', 'text-transform', 'text-align', 'margin', 'padding', 'border', 'border-radius', 'opacity'],
    ...['box-shadow', 'list-style-type', 'cursor', 'white-space', 'visibility', 'box-sizing'],
  ]
  return [root, ...root.querySelectorAll('*')]
    .filter((element) => !element.closest('head') && element.tagName !== 'SCRIPT')
    .map((element) => {
      const style = getComputedStyle(element)
      const name = `${element.tagName}.${element.getAttribute('class') ?? ''}`
      return `${name}: ${PROPERTIES.map((property) => style.getPropertyValue(property)).join(' | ')}`
    })
}
