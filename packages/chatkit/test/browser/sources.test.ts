/** Where an answer comes from, and the host's own classes and place for details. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeViolations } from './axe.ts'
import { findProblems } from './find-problems.ts'
import { openBrowser, settled, type TestBrowser } from './open-browser.ts'

let browser: TestBrowser
const shots = join(import.meta.dirname, '../../../../.test-shots/chatkit')
beforeAll(async () => {
  browser = await openBrowser()
  await mkdir(shots, { recursive: true })
})
afterAll(() => browser[Symbol.asyncDispose]())

describe('[K14] sources', () => {
  test('[K14] a number in brackets leads to its source; numbers without one, and code, stay text', async () => {
    await using opened = await browser.open('scene=sources&mode=assistant')
    const { page } = opened
    await settled(page)
    const links = page.locator('.ck-citation')
    expect(await links.allTextContents()).toEqual(['[1]', '[1]', '[2]'])
    expect(await page.locator('.ck-md').textContent()).toContain('Not a source: [3], [1], ')
    expect(await page.locator('.ck-md code').textContent()).toBe('[1]')
    await page.getByRole('link', { name: 'Source 2' }).click()
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('tides.pdf')
    expect(new URL(page.url()).hash).toBe('')
    await page.getByRole('button', { name: /^Sources/ }).click()
    await page.getByRole('link', { name: 'Source 2' }).click()
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BUTTON')
  })

  test('[K14] sources that come after the text still get their links, numbered as they say', async () => {
    await using opened = await browser.open('mode=assistant')
    const { page } = opened
    void page.evaluate(() => window.test.kit.send('Go'))
    await page.locator('.ck-waiting').waitFor()
    await page.evaluate(() => window.test.push({ op: 'text', key: 't', text: 'So it is [4] [5].' }))
    // Something in between: the text is closed, and its block is not drawn again.
    await page.evaluate(() =>
      window.test.push({
        op: 'block',
        block: { type: 'Notice', key: 'n', content: { text: 'Looking', level: 'info' } },
      }),
    )
    await page.getByText('Looking').waitFor()
    expect(await page.locator('.ck-citation').count()).toBe(0)
    await page.evaluate(() => {
      const content = [{ title: 'Four', link: '', content: '', media: '', icon: '', position: 4 }]
      window.test.push({ op: 'block', block: { type: 'Sources', key: 's', content } })
      window.test.finish()
    })
    await page.locator('.ck-citation').waitFor()
    expect(await page.locator('.ck-citation').allTextContents()).toEqual(['[4]'])
    expect(await page.locator('.ck-results li').getAttribute('value')).toBe('4')
  })

  test('[K20.5] memories that an answer used are a chip that opens', async () => {
    await using opened = await browser.open('scene=sources&mode=assistant')
    const { page } = opened
    await settled(page)
    const chip = page.getByText('2 memories used')
    expect(await page.getByText('Lives in Köln').isVisible()).toBe(false)
    await chip.focus()
    await page.keyboard.press('Enter')
    await page.getByText('Lives in Köln').waitFor()
  })
})

describe('[K3.1] the host’s own look', () => {
  test('[K3.1] classNames go to the parts they name', async () => {
    await using opened = await browser.open('scene=agent&mode=assistant')
    const { page } = opened
    await settled(page)
    const parts = [
      'root',
      'header',
      'list',
      'message',
      'userMessage',
      'assistantMessage',
      'block',
      'tool',
      'composer',
      'onboarding',
      'history',
      'drawer',
    ] as const
    await page.evaluate((names) => {
      window.test.kit.update({ classNames: Object.fromEntries(names.map((name) => [name, `own-${name}`])) })
    }, parts)
    await page.getByRole('button', { name: 'History' }).click()
    await page.getByRole('button', { name: 'Enlarge' }).first().click()
    await page.getByRole('dialog').waitFor()
    const where = (name: string) =>
      page.evaluate(
        (own) => [...new Set([...document.querySelectorAll(`.own-${own}`)].map(({ classList }) => classList[0]))],
        name,
      )
    expect(await where('root')).toEqual(['ck-root'])
    expect(await where('header')).toEqual(['ck-header'])
    expect(await where('list')).toEqual(['ck-list'])
    expect(await where('message')).toEqual(['ck-message'])
    expect(await page.locator('.own-userMessage[data-role=User]').count()).toBe(1)
    expect(await page.locator('.own-assistantMessage[data-role=Assistant]').count()).toBe(1)
    expect(await page.locator('.own-assistantMessage .own-block').count()).toBeGreaterThan(5)
    expect(await page.locator('.own-tool.ck-tool .ck-row-button').count()).toBeGreaterThan(0)
    expect(await where('composer')).toEqual(['ck-composer'])
    expect(await where('history')).toEqual(['ck-history'])
    expect(await where('drawer')).toEqual(['ck-drawer'])
    await page.keyboard.press('Escape')
    await page.evaluate(() => window.test.kit.createConversation())
    await page.locator('.own-onboarding.ck-onboarding').waitFor()
  })

  test('[K3.1] details open in drawerContainer, in the look of the kit, and the focus comes back', async () => {
    await using opened = await browser.open('scene=passages&theme=dark')
    const { page } = opened
    await settled(page)
    await page.evaluate(() => {
      const place = document.body.appendChild(document.createElement('aside'))
      place.id = 'place'
      Object.assign(place.style, { position: 'fixed', inset: '0 60% 0 0' })
      window.test.kit.update({ drawerContainer: place })
    })
    const row = page.getByRole('button', { name: /^Source 7/ })
    await row.click()
    const drawer = page.locator('#place').getByRole('dialog')
    await drawer.waitFor()
    expect(await page.locator('#chat').getByRole('dialog').count()).toBe(0)
    expect(await drawer.evaluate((element) => getComputedStyle(element).backgroundColor)).toBe('rgb(21, 23, 28)')
    expect(await drawer.evaluate((element) => element.contains(document.activeElement))).toBe(true)
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    expect(await row.evaluate((element) => element === document.activeElement)).toBe(true)
  })

  test('[K13] details fill a kit that is narrower than 480 px', async () => {
    await using opened = await browser.open('scene=passages')
    const { page } = opened
    await settled(page)
    await page.getByRole('button', { name: /^Source 7/ }).click()
    await page.getByRole('dialog').waitFor()
    const widths = await page.evaluate(() =>
      ['.ck-root', '.ck-drawer'].map((name) => document.querySelector(name)!.clientWidth),
    )
    expect(widths[0]).toBeLessThan(480)
    expect(widths[1]).toBe(widths[0])
  })

  test('[K17.1] with forced colours and more contrast every state is still to be seen', async () => {
    await using opened = await browser.open('scene=chart&mode=assistant', { forcedColors: 'active', contrast: 'more' })
    const { page } = opened
    await page.locator('.ck-chart-space svg').first().waitFor()
    const widths = await page.evaluate(() =>
      ['.ck-send', '.ck-avatar', '.ck-message[data-role=User] .ck-body', '.ck-choice [aria-pressed=true]'].map((name) =>
        Number.parseFloat(getComputedStyle(document.querySelector(name)!).borderTopWidth),
      ),
    )
    for (const width of widths) expect(width).toBeGreaterThan(0)
    const root = page.locator('.ck-root')
    const [muted, text] = await root.evaluate((element) =>
      ['--ck-muted', '--ck-text'].map((name) => getComputedStyle(element).getPropertyValue(name)),
    )
    expect(muted).toBe(text)
    await page.screenshot({ path: join(shots, 'forced-colors.png') })
  })
})

test.each(['code', 'math', 'chart', 'diagram', 'sources'])(
  '[K17.1] %s fits 320 px without scrolling sideways',
  async (scene) => {
    const options = { viewport: { width: 320, height: 640 }, hasPolicy: false, reducedMotion: 'reduce' } as const
    await using opened = await browser.open(`scene=${scene}`, options)
    const { page } = opened
    await settled(page)
    const ready = { chart: '.ck-chart-space svg', diagram: '.ck-diagram-frame:not(.ck-diagram-hidden)', math: 'math' }
    if (scene in ready)
      await page
        .locator(ready[scene as keyof typeof ready])
        .first()
        .waitFor()
    const outside = await page.evaluate(() =>
      [...document.querySelectorAll('.ck-root, .ck-root *')]
        .filter(
          (element) => !element.closest('.ck-hidden, .ck-row-title, .ck-table table, .ck-code-body code, svg, math'),
        )
        .filter((element) => element.getBoundingClientRect().right > innerWidth + 1 && element.checkVisibility())
        .map((element) => `${element.tagName} ${element.className}`),
    )
    expect(outside).toEqual([])
    await page.screenshot({ path: join(shots, `narrow-${scene}.png`) })
  },
)

const looks = ['light', 'dark'].flatMap((theme) => ['en', 'zh-CN'].map((locale) => [theme, locale] as const))
test.each(looks)('[K17.1] sources and memories, %s, %s: contrast, names, axe', async (theme, locale) => {
  await using opened = await browser.open(`scene=sources&theme=${theme}&locale=${locale}&mode=assistant`)
  const { page } = opened
  await settled(page)
  await page.locator('.ck-memories summary').click()
  expect(await page.evaluate(findProblems)).toEqual([])
  expect(await axeViolations(page)).toEqual([])
  await page.screenshot({ path: join(shots, `sources-${theme}-${locale}.png`) })
})
