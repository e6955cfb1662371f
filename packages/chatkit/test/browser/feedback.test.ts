import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeViolations } from './axe.ts'
import { openBrowser, settled, type TestBrowser } from './open-browser.ts'
import { openServer, type World } from './open-server.ts'
import { outsideOf } from './outside-of.ts'

type Kept = { value: string; comment: string | null }

const button = (page: Page, name: string) => page.locator('.ck-tools').last().getByRole('button', { name, exact: true })
const field = (page: Page) => page.locator('.ck-comment textarea')
const send = (page: Page) => page.locator('.ck-comment button[type=submit]')
const isPressed = (page: Page, name: string) => button(page, name).getAttribute('aria-pressed')
const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.tagName)

describe('over a real server', () => {
  let world: World
  const shots = join(import.meta.dirname, '../../../../.test-shots/chatkit/feedback')
  beforeAll(async () => {
    await mkdir(shots, { recursive: true })
    world = await openServer({ isDemo: true })
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  const kept = async (id: string): Promise<Kept[]> =>
    (await world.api<{ items: Kept[] }>(`/api/sessions/${id}/feedback`)).items.map(({ value, comment }) => ({
      value,
      comment,
    }))

  /** A page with one answer. */
  async function answered(query = '', options = {}) {
    const opened = await world.open(query, options)
    const { chat } = opened
    await chat.ask(query.includes('zh') ? '列出工作区里的文件' : 'list the files')
    await chat.answer(query.includes('zh') ? '工作区是空的' : 'workspace is empty')
    return { opened, page: opened.page, id: await chat.conversation() }
  }

  test('[K12.2] a bad answer asks what went wrong; the comment is kept, and every tab shows both at once', async () => {
    const { opened, page, id } = await answered()
    await using _opened = opened
    await using other = await world.open(`conversation=${id}`)
    await other.chat.answer('workspace is empty')
    await button(page, 'Bad answer').click()
    await field(page).waitFor()
    expect(await focused(page)).toBe('What went wrong?')
    await expect.poll(() => isPressed(other.page, 'Bad answer')).toBe('true')
    expect(await field(other.page).count()).toBe(0)
    expect(await kept(id)).toEqual([{ value: 'dislike', comment: null }])
    await field(page).pressSequentially('It is not empty.')
    await field(page).press('Enter')
    await page.getByText('Saved. Thank you.').waitFor()
    expect(await field(page).count()).toBe(0)
    expect(await focused(page)).toBe('Edit your comment')
    expect(await kept(id)).toEqual([{ value: 'dislike', comment: 'It is not empty.' }])
    // Editable where it was not written, and shown where it was.
    await button(other.page, 'Edit your comment').click()
    expect(await field(other.page).inputValue()).toBe('It is not empty.')
    await field(other.page).fill('It is empty after all.')
    await send(other.page).click()
    await other.page.getByText('Saved. Thank you.').waitFor()
    await button(page, 'Edit your comment').click()
    await expect.poll(() => field(page).inputValue()).toBe('It is empty after all.')
    await field(page).press('Escape')
    // The other thumb replaces it, comment and all; the same one takes it back.
    await button(page, 'Good answer').click()
    await expect.poll(() => isPressed(other.page, 'Good answer')).toBe('true')
    expect(await kept(id)).toEqual([{ value: 'like', comment: null }])
    expect(await field(page).count()).toBe(0)
    await button(page, 'Add a comment').click()
    expect(await focused(page)).toBe('What was good?')
    await button(page, 'Good answer').click()
    await expect.poll(() => isPressed(other.page, 'Good answer')).toBe('false')
    expect(await field(page).count()).toBe(0)
    expect(await kept(id)).toEqual([])
  })

  test('[K12.2] [K17.2] by keyboard: Enter sends, Shift+Enter breaks the line, Escape and Skip close, focus returns, nothing typed is lost', async () => {
    const { opened, page, id } = await answered()
    await using _opened = opened
    await button(page, 'Bad answer').focus()
    await page.keyboard.press('Enter')
    await field(page).waitFor()
    await page.keyboard.type('one')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('two')
    await page.keyboard.press('Escape')
    expect(await field(page).count()).toBe(0)
    expect(await focused(page)).toBe('Add a comment')
    await page.keyboard.press('Enter')
    expect(await field(page).inputValue()).toBe('one\ntwo')
    await field(page).evaluate((element) =>
      element.dispatchEvent(
        new KeyboardEvent('keydown', {
          bubbles: true,
          cancelable: true,
          key: 'Enter',
          keyCode: 229,
          isComposing: true,
        }),
      ),
    )
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip')
    await page.keyboard.press('Enter')
    expect(await field(page).count()).toBe(0)
    expect(await kept(id)).toEqual([{ value: 'dislike', comment: null }])
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.getByText('Saved. Thank you.').waitFor()
    expect(await kept(id)).toEqual([{ value: 'dislike', comment: 'one\ntwo' }])
    // Emptied and sent, it is gone; the thumb stays.
    await page.keyboard.press('Enter')
    await field(page).fill('')
    await field(page).press('Enter')
    await expect.poll(() => kept(id)).toEqual([{ value: 'dislike', comment: null }])
  })

  test('[K12.2] a comment that could not be sent stays in its field, and is sent at the second try', async () => {
    const { opened, page, id } = await answered('theme=dark')
    await using _opened = opened
    await button(page, 'Bad answer').click()
    await field(page).fill('This must not be lost.')
    const isFeedback = /\/feedback$/
    await page.route(isFeedback, (route) =>
      route.fulfill({ status: 503, json: { detail: 'Not now.', code: 'storage_unavailable' } }),
    )
    await field(page).press('Enter')
    await page.locator('.ck-comment [role=alert]').waitFor()
    expect(await send(page).textContent()).toBe('Try again')
    expect(await field(page).inputValue()).toBe('This must not be lost.')
    expect(await axeViolations(page)).toEqual([])
    await page.screenshot({ path: join(shots, 'failed-dark-en.png') })
    await page.unroute(isFeedback)
    await send(page).click()
    await page.getByText('Saved. Thank you.').waitFor()
    expect(await kept(id)).toEqual([{ value: 'dislike', comment: 'This must not be lost.' }])
  })

  test('[K12.2] the server’s limit is shown when it is near, and no more is sent', async () => {
    const { opened, page, id } = await answered()
    await using _opened = opened
    await button(page, 'Bad answer').click()
    await field(page).fill('x'.repeat(1_500))
    expect(await page.locator('.ck-comment .ck-hint').textContent()).toBe('')
    await field(page).fill('x'.repeat(2_001))
    expect(await page.locator('.ck-comment .ck-hint').textContent()).toContain('2001 of 2000 characters')
    expect(await send(page).isDisabled()).toBe(true)
    await field(page).press('Enter')
    expect(await field(page).getAttribute('aria-invalid')).toBe('true')
    await page.screenshot({ path: join(shots, 'too-long-light-en.png') })
    await field(page).fill(` ${'x'.repeat(2_000)} `)
    await field(page).press('Enter')
    await page.getByText('Saved. Thank you.').waitFor()
    expect((await kept(id))[0]!.comment).toHaveLength(2_000)
  })

  test('[K12.2] [K17.3] whatever a comment holds is text, also in another tab', async () => {
    const { opened, page, id } = await answered()
    await using _opened = opened
    const hostile = `<img src=x onerror="window.__pwned=1"> \u202Egnp.exe [a](javascript:alert(1)) \u0007`
    await button(page, 'Bad answer').click()
    await field(page).fill(hostile)
    await field(page).press('Enter')
    await page.getByText('Saved. Thank you.').waitFor()
    await using other = await world.open(`conversation=${id}`)
    await button(other.page, 'Edit your comment').click()
    expect(await field(other.page).inputValue()).toBe(hostile.trim())
    expect(await other.page.evaluate(() => window.__pwned)).toBeUndefined()
    expect(await other.page.locator('.ck-tools img').count()).toBe(0)
  })

  test('[K12.2] who has gone on to write the next message keeps the focus', async () => {
    const { opened, page } = await answered()
    await using _opened = opened
    // The field comes later than the click, as over a slow line.
    let letThrough = () => {}
    const held = new Promise<void>((resolve) => {
      letThrough = resolve
    })
    await page.route(/\/feedback$/, async (route) => {
      await held
      await route.continue()
    })
    await button(page, 'Bad answer').click()
    await page.locator('.ck-composer-text').focus()
    letThrough()
    await field(page).waitFor()
    expect(await focused(page)).toBe('Message')
  })

  const looks = ['light', 'dark'].flatMap((theme) =>
    (['en', 'zh-CN'] as const).flatMap((locale) => [320, 1100].map((width) => [theme, locale, width] as const)),
  )
  test.each(looks)('[K12.2] [K17.1] %s, %s, %d px: axe finds nothing, and nothing sticks out', async (...look) => {
    const [theme, locale, width] = look
    const dir = width === 320 && theme === 'dark' ? '&dir=rtl' : ''
    const size = { viewport: { width, height: 640 } }
    const { opened, page } = await answered(`theme=${theme}&locale=${locale}${dir}`, size)
    await using _opened = opened
    await button(page, locale === 'en' ? 'Bad answer' : '没帮助').click()
    const words = locale === 'en' ? 'The notes of yesterday are missing.' : '昨天的笔记没有列出来。'
    await field(page).fill(words)
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    const name = [theme, locale, width, ...(dir ? ['rtl'] : [])].join('-')
    await page.screenshot({ path: join(shots, `open-${name}.png`) })
    expect(await axeViolations(page)).toEqual([])
    expect(await page.evaluate(outsideOf)).toEqual([])
    await field(page).press('Enter')
    await page.getByText(locale === 'en' ? 'Saved. Thank you.' : '已保存，谢谢').waitFor()
    await page.screenshot({ path: join(shots, `saved-${name}.png`) })
    expect(await axeViolations(page)).toEqual([])
  })
})

describe('over any back end', () => {
  let browser: TestBrowser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser?.[Symbol.asyncDispose]())

  test('[K12.2] one that takes thumbs alone is given thumbs alone', async () => {
    await using opened = await browser.open('scene=answer')
    const { page } = opened
    await settled(page)
    await button(page, 'Bad answer').click()
    await expect.poll(() => isPressed(page, 'Bad answer')).toBe('true')
    expect(await button(page, 'Add a comment').count()).toBe(0)
    expect(await field(page).count()).toBe(0)
  })

  test('[K12.2] the host’s own field stands in place of the kit’s, and knows whether it was asked for', async () => {
    await using opened = await browser.open('scene=answer&comments&part=FeedbackComment')
    const { page } = opened
    await settled(page)
    const own = page.locator('[data-own=FeedbackComment]')
    await button(page, 'Good answer').click()
    await expect.poll(() => own.textContent()).toBe('like false')
    await button(page, 'Bad answer').click()
    await expect.poll(() => own.textContent()).toBe('dislike true')
    expect(await field(page).count()).toBe(0)
  })
})
