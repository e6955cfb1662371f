import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser, settled, type TestBrowser } from './open-browser.ts'
import { axeViolations } from './axe.ts'
import { findProblems } from './find-problems.ts'
import { outsideOf } from './outside-of.ts'

let browser: TestBrowser
const shots = join(import.meta.dirname, '../../../../.test-shots/chatkit')
beforeAll(async () => {
  browser = await openBrowser()
  await mkdir(shots, { recursive: true })
})
afterAll(() => browser[Symbol.asyncDispose]())

const SCENES = ['', 'scene=answer', 'scene=agent', 'scene=ask', 'scene=decided', 'scene=frames', 'scene=failed']
const looks = SCENES.flatMap((scene) =>
  ['light', 'dark'].flatMap((theme) => ['en', 'zh-CN'].map((locale) => [scene || 'empty', theme, locale] as const)),
)

describe('[K17.1] accessibility by rule', () => {
  test.each(looks)(
    '[K17.1] [KB8] %s, %s, %s: axe finds nothing; names, roles, contrast, targets',
    async (scene, theme, locale) => {
      await using opened = await browser.open(`${scene}&theme=${theme}&locale=${locale}&mode=assistant`)
      const { page } = opened
      await settled(page)
      // Everything that can be opened, opened: what is behind it counts too.
      await page.evaluate(() =>
        document.querySelectorAll<HTMLElement>('[aria-expanded=false]').forEach((button) => button.click()),
      )
      await settled(page)
      expect(await axeViolations(page)).toEqual([])
      expect(await page.evaluate(findProblems)).toEqual([])
      await page.screenshot({ path: join(shots, `${scene.replace('scene=', '')}-${theme}-${locale}.png`) })
    },
  )

  test.each(['', 'scene=answer', 'scene=agent', 'scene=ask'])(
    '[K17.1] %s fits 320 px without scrolling sideways',
    async (scene) => {
      await using opened = await browser.open(scene, { viewport: { width: 320, height: 640 } })
      const { page } = opened
      await settled(page)
      expect(await page.evaluate(outsideOf)).toEqual([])
      await page.screenshot({ path: join(shots, `narrow-${scene.replace('scene=', '') || 'empty'}.png`) })
    },
  )

  test.each([
    ['assistant', 320],
    ['assistant', 900],
    ['assistant', 1200],
    ['copilot', 320],
    ['copilot', 900],
  ])('[K11] empty, %s, %d px: a mark, a heading and suggestions, in line with the text box', async (mode, width) => {
    await using opened = await browser.open(`mode=${mode}`, { viewport: { width, height: 640 } })
    const { page } = opened
    await settled(page)
    await page.getByRole('heading', { name: 'Where shall we start?' }).waitFor()
    expect(await page.locator('.ck-suggestion').count()).toBe(3)
    const lefts = await page.evaluate(() =>
      ['.ck-mark', '.ck-start', '.ck-prologue', '.ck-questions', '.ck-composer-box'].map((name) =>
        Math.round(document.querySelector(name)!.getBoundingClientRect().left),
      ),
    )
    expect(new Set(lefts).size).toBe(1)
    expect(await page.evaluate(outsideOf)).toEqual([])
    expect(await page.evaluate(findProblems)).toEqual([])
    await page.screenshot({ path: join(shots, `empty-${mode}-${width}.png`) })
  })

  test('[K17.1] at 1200 px a line of text has at most 75 characters; code and tables take the room there is', async () => {
    await using opened = await browser.open('mode=assistant', { viewport: { width: 1200, height: 900 } })
    const { page } = opened
    await settled(page)
    void page.evaluate(() => window.test.kit.send('word '.repeat(80)))
    await page.locator('.ck-waiting').waitFor()
    const words = 'The level at the gauge of Kaub falls slowly, and barges load half of what they could. '.repeat(8)
    const text = `# ${words}\n\n${words}\n\n- ${words}\n\n> ${words}\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n\`\`\`\n${words}\n\`\`\``
    await page.evaluate((content) => {
      window.test.push({ op: 'text', key: '0', text: content })
      window.test.finish()
    }, text)
    await page.locator('.ck-tools').first().waitFor({ state: 'attached' })
    const [longest, wide] = await page.evaluate(() => {
      const lengthOf = (element: Element) => {
        const lines = new Map<number, number>()
        const range = document.createRange()
        const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
        for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null)
          for (let at = 0; at < node.length; at++) {
            range.setStart(node, at)
            range.setEnd(node, at + 1)
            const line = Math.round(range.getBoundingClientRect().bottom)
            lines.set(line, (lines.get(line) ?? 0) + 1)
          }
        return Math.max(...lines.values())
      }
      const texts = [...document.querySelectorAll('.ck-group > :is(p, ul, blockquote, .ck-h1), .ck-text')]
      const widthOf = (name: string) => document.querySelector(name)!.getBoundingClientRect().width
      return [texts.map(lengthOf), ['.ck-table', '.ck-code'].map(widthOf)] as const
    })
    expect(longest).toHaveLength(5)
    expect(Math.max(...longest)).toBeLessThanOrEqual(75)
    expect(Math.min(...longest)).toBeGreaterThan(50)
    expect(Math.min(...wide)).toBeGreaterThan(880)
  })

  test('[K12.2] what an answer cost is shown only where the host wants it', async () => {
    await using opened = await browser.open('scene=answer')
    const { page } = opened
    await settled(page)
    expect(await page.locator('.ck-root').textContent()).not.toMatch(/tokens|3\.21/)
    await page.evaluate(() => window.test.kit.update({ showStatistics: true }))
    await page.getByText('3.21 s · 1,842 tokens').waitFor()
  })

  test('[K17.3] right to left: the list starts at the right, the text follows its own direction', async () => {
    await using opened = await browser.open('scene=rtl&dir=rtl&mode=assistant')
    const { page } = opened
    await settled(page)
    const [avatar, body] = await page.evaluate(() =>
      ['.ck-avatar', '.ck-body'].map((name) => document.querySelector(name)!.getBoundingClientRect().left),
    )
    expect(avatar!).toBeGreaterThan(body!)
    await page.screenshot({ path: join(shots, 'rtl.png') })
  })

  test('[K17.1] reduced motion: nothing moves', async () => {
    await using opened = await browser.open('', { reducedMotion: 'reduce' })
    const { page } = opened
    await settled(page)
    void page.evaluate(() => window.test.kit.send('Hi'))
    await page.locator('.ck-dot').first().waitFor()
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
    await page.evaluate(() => window.test.finish())
  })

  test('[K17.4] "auto" follows the system, and the host page keeps its own styles', async () => {
    await using opened = await browser.open('theme=auto&scene=answer', { colorScheme: 'dark' })
    const { page } = opened
    await settled(page)
    const [root, body] = await page.evaluate(() =>
      [document.querySelector('.ck-root')!, document.body].map((element) => getComputedStyle(element).backgroundColor),
    )
    expect(root).toBe('rgb(21, 23, 28)')
    expect(body).toBe('rgba(0, 0, 0, 0)')
  })
})
