/** Colours of code: downloaded at first use, readable in both themes, and never in the way. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { axeViolations } from './axe.ts'
import { drawFrames } from './draw-frames.ts'
import { findProblems } from './find-problems.ts'
import { openBrowser, settled, type TestBrowser } from './open-browser.ts'
import { CODE } from './page/rich-scenes.ts'

let browser: TestBrowser
const shots = join(import.meta.dirname, '../../../../.test-shots/chatkit')
beforeAll(async () => {
  browser = await openBrowser()
  await mkdir(shots, { recursive: true })
})
afterAll(() => browser[Symbol.asyncDispose]())

const coloured = (page: Page) => page.locator('.ck-code-keyword').first()
const draw = (page: Page, text: string, isStreaming = false) =>
  page.evaluate(([source, streaming]) => window.test.renderMarkdown('md', source, streaming), [
    text,
    isStreaming,
  ] as const)

describe('[K16.3] highlighting', () => {
  test.each(Object.entries(CODE))('[K14] %s is coloured, and its text stays what it was', async (language, code) => {
    await using opened = await browser.open('')
    const { page } = opened
    await draw(page, `\`\`\`${language}\n${code}\n\`\`\``)
    await page.locator('#md code [class^="ck-code-"]:not(.ck-code-part)').first().waitFor()
    expect((await page.locator('#md code').textContent())?.trimEnd()).toBe(code.trimEnd())
  })

  test('[K16.3] code is coloured when its fence closes, not before', async () => {
    await using opened = await browser.open('')
    const { page } = opened
    await draw(page, '```python\nimport re\n```') // Now the colours are there.
    await coloured(page).waitFor()
    await draw(page, '```python\nimport re\nimport os', true)
    await drawFrames(page, 4)
    expect(await coloured(page).count()).toBe(0)
    await draw(page, '```python\nimport re\nimport os\n```\n', true)
    await coloured(page).waitFor()
  })

  test('[K16.3] nothing of it is downloaded before there is code to colour', async () => {
    await using opened = await browser.open('mode=assistant&scene=rtl')
    const { page } = opened
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await settled(page)
    await draw(page, 'No code, only `words`.\n\n```\nno language\n```')
    await drawFrames(page, 4)
    expect(asked).toEqual([])
    const chunk = page.waitForResponse(/highlight/)
    await draw(page, '```sql\nselect 1\n```')
    expect((await chunk).status()).toBe(200)
  })

  test('[K16.3] code stays plain and readable when the colours cannot be loaded', async () => {
    await using opened = await browser.open('')
    const { page } = opened
    await page.route(/highlight/, (route) => route.abort())
    const failed = page.waitForEvent('requestfailed')
    await draw(page, '```python\nimport re\n```')
    await failed
    expect(await page.locator('#md code').textContent()).toContain('import re')
    expect(await page.evaluate(() => window.test.errors)).toEqual([])
  })

  test('[K16.3] very long code and unknown languages stay plain', async () => {
    await using opened = await browser.open('')
    const { page } = opened
    await draw(
      page,
      `\`\`\`python\nimport re\n\`\`\`\n\n\`\`\`python\n${'x = 1\n'.repeat(4000)}\`\`\`\n\n\`\`\`klingon\nimport\n\`\`\``,
    )
    await coloured(page).waitFor()
    await drawFrames(page, 4)
    const marked = page.locator('#md .ck-code').filter({ has: page.locator('.ck-code-keyword, .ck-code-number') })
    expect(await marked.count()).toBe(1)
  })

  test('[KB1] a page full of code is coloured between frames', async () => {
    await using opened = await browser.open('')
    const { page } = opened
    const block = `\`\`\`typescript\n${`${CODE['typescript']}\n`.repeat(60)}\`\`\``
    const longest = await page.evaluate(
      async (text) => {
        const tasks: number[] = []
        new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
          type: 'longtask',
        })
        window.test.renderMarkdown('md', text, false)
        const isDone = () =>
          [...document.querySelectorAll('#md .ck-code')].every((code) => code.querySelector('.ck-code-keyword'))
        while (!isDone()) await new Promise((resolve) => requestAnimationFrame(resolve))
        return Math.max(0, ...tasks)
      },
      Array.from({ length: 20 }, () => block).join('\n\n'),
    )
    console.log(`20 blocks of ${block.length} characters: longest task ${longest.toFixed(0)} ms`)
    expect(longest).toBeLessThan(500)
  })
})

const looks = ['light', 'dark'].flatMap((theme) => ['en', 'zh-CN'].map((locale) => [theme, locale] as const))
test.each(looks)('[K17.1] code, %s, %s: contrast, names, axe', async (theme, locale) => {
  await using opened = await browser.open(`scene=code&theme=${theme}&locale=${locale}&mode=assistant`, {
    viewport: { width: 900, height: 2600 },
  })
  const { page } = opened
  await settled(page)
  await coloured(page).waitFor()
  await page.locator('.ck-code-added').waitFor()
  expect(await page.evaluate(findProblems)).toEqual([])
  expect(await axeViolations(page)).toEqual([])
  await page.screenshot({ path: join(shots, `code-${theme}-${locale}.png`) })
})
