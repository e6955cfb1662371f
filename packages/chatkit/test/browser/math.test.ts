/** Formulas: downloaded at first use, drawn as MathML under the strict policy, their source where that fails. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
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

const draw = (page: Page, text: string) =>
  page.evaluate((source) => window.test.renderMarkdown('md', source, false), text)
/** What the page's policy refused. */
function refusals(page: Page): string[] {
  const heard: string[] = []
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/i.test(message.text())) heard.push(message.text())
  })
  return heard
}

describe('[K16.1] formulas', () => {
  test.each([
    ['$a^2$', 'inline'],
    ['\\(a^2\\)', 'inline'],
    ['$$a^2$$', 'block'],
    ['\\[a^2\\]', 'block'],
  ])('[K16.1] %s is drawn as MathML, %s', async (text, display) => {
    await using opened = await browser.open('')
    const { page } = opened
    const refused = refusals(page)
    await draw(page, `x ${text} y`)
    await page.locator('#md math msup').waitFor()
    expect(await page.locator('#md math').getAttribute('display')).toBe(display === 'block' ? 'block' : null)
    expect(await page.locator('#md .ck-math-source').count()).toBe(0)
    // Nothing beside the MathML: other forms need a style sheet and fonts.
    expect(await page.locator('#md .katex > :not(math)').count()).toBe(0)
    expect(refused).toEqual([])
  })

  test('[K16.1] brackets, roots, sums and integrals grow with what they hold', async () => {
    await using opened = await browser.open('')
    const { page } = opened
    const refused = refusals(page)
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await draw(page, 'No formula yet')
    await page.locator('#md p').waitFor()
    expect(asked.filter((url) => url.includes('math'))).toEqual([])
    const tall = '\\frac{\\frac{a}{b}}{\\frac{c}{d}}'
    await draw(page, `$$\\left(${tall}\\right) + \\sqrt{${tall}} + \\sum_{i=1}^{n} \\int_0^1 \\mathbb{R} + a$$`)
    await page.waitForFunction(() => [...document.fonts].some(({ family }) => family === 'Parley Math'))
    const heights = await page.evaluate(() => {
      const heightOf = (element: Element) => element.getBoundingClientRect().height
      const all = [...document.querySelectorAll('#md mo')]
      const named = (text: string) => heightOf(all.find(({ textContent }) => textContent === text)!)
      const [bracket, sum, integral, plus] = ['(', '∑', '∫', '+'].map(named)
      const [fraction, root] = ['mfrac', 'msqrt'].map((name) => heightOf(document.querySelector(`#md ${name}`)!))
      return { bracket, sum, integral, plus, fraction, root } as Record<string, number>
    })
    expect(heights['bracket']).toBeGreaterThan(heights['fraction']! * 0.9)
    expect(heights['root']).toBeGreaterThan(heights['fraction']!)
    expect(heights['sum']).toBeGreaterThan(heights['plus']! * 1.3)
    expect(heights['integral']).toBeGreaterThan(heights['sum']!)
    expect(await page.locator('#md mi', { hasText: 'ℝ' }).count()).toBe(1)
    // As bytes in a script: a policy for fonts has nothing to refuse.
    expect([refused, asked.filter((url) => url.includes('math-font')).length]).toEqual([[], 1])
  })

  test('[K16.1] money is not a formula', async () => {
    await using opened = await browser.open('')
    const { page } = opened
    await draw(page, '$a$ costs $5, not $6')
    await page.locator('#md math').waitFor()
    expect(await page.locator('#md math').count()).toBe(1)
    expect(await page.locator('#md').textContent()).toContain('$5, not $6')
  })

  test('[K16.3] what is not a formula stays its source', async () => {
    await using opened = await browser.open('')
    const { page } = opened
    await draw(page, '$a$ and $\\frac{1}{$ and $\\nosuchcommand{x}$')
    await page.locator('#md math').waitFor()
    expect(await page.locator('#md math').count()).toBe(1)
    expect(await page.locator('#md .ck-math-source').allTextContents()).toEqual(['\\frac{1}{', '\\nosuchcommand{x}'])
  })

  test('[K16.3] the source stays when the library cannot be loaded', async () => {
    await using opened = await browser.open('')
    const { page } = opened
    await page.route(/render-math|math-font/, (route) => route.abort())
    const failed = page.waitForEvent('requestfailed')
    await draw(page, '$a^2$')
    await failed
    expect(await page.locator('#md .ck-math-source').textContent()).toBe('a^2')
    expect(await page.evaluate(() => window.test.errors)).toEqual([])
  })

  test('[K16.4] formulas load nothing, link nowhere, style nothing and do not keep the page busy', async () => {
    await using opened = await browser.open('', { hasPolicy: false })
    const { page, foreign } = opened
    const hostile = [
      '\\includegraphics{https://evil.example/x.png}',
      '\\href{javascript:window.__pwned=1}{x}',
      '\\url{https://evil.example}',
      '\\htmlStyle{background:url(https://evil.example/y.png)}{x}',
      '\\htmlClass{ck-root}{x}',
      '\\def\\a{\\a\\a}\\a',
      '\\rule{9999em}{9999em}',
      `${'{'.repeat(3000)}x${'}'.repeat(3000)}`,
      'x'.repeat(20_000),
    ]
    await draw(page, ['$a$', ...hostile.map((tex) => `$${tex}$`)].join('\n\n'))
    await page.locator('#md math').first().waitFor()
    const found = await page.evaluate(() => ({
      pwned: window.__pwned,
      strange: document.querySelectorAll('#md math :is(a, img, [href], [style], [class*=ck-])').length,
      width: Math.max(...[...document.querySelectorAll('#md math')].map((math) => math.getBoundingClientRect().height)),
      errors: window.test.errors,
    }))
    expect(found).toMatchObject({ strange: 0, errors: [] })
    expect(found.pwned).toBeUndefined()
    expect(found.width).toBeLessThan(1000)
    expect(foreign).toEqual([])
  })
})

const looks = ['light', 'dark'].flatMap((theme) => ['en', 'zh-CN'].map((locale) => [theme, locale] as const))
test.each(looks)('[K17.1] formulas, %s, %s: contrast, names, axe', async (theme, locale) => {
  await using opened = await browser.open(`scene=math&theme=${theme}&locale=${locale}&mode=assistant`)
  const { page } = opened
  const refused = refusals(page)
  await settled(page)
  await page.locator('math').nth(6).waitFor()
  expect(await page.evaluate(findProblems)).toEqual([])
  expect(await axeViolations(page)).toEqual([])
  expect(refused).toEqual([])
  await page.screenshot({ path: join(shots, `math-${theme}-${locale}.png`) })
})
