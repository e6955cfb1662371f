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

const SCENES = ['', 'scene=answer', 'scene=agent', 'scene=ask', 'scene=frames', 'scene=failed']
const looks = SCENES.flatMap((scene) =>
  ['light', 'dark'].flatMap((theme) => ['en', 'zh-CN'].map((locale) => [scene || 'empty', theme, locale] as const)),
)

describe('[17.1] accessibility by rule', () => {
  test.each(looks)(
    '[17.1, B8] %s, %s, %s: axe finds nothing; names, roles, contrast, targets',
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
    '[17.1] %s fits 320 px without scrolling sideways',
    async (scene) => {
      await using opened = await browser.open(scene, { viewport: { width: 320, height: 640 } })
      const { page } = opened
      await settled(page)
      expect(await page.evaluate(outsideOf)).toEqual([])
      await page.screenshot({ path: join(shots, `narrow-${scene.replace('scene=', '') || 'empty'}.png`) })
    },
  )

  test('[17.3] right to left: the list starts at the right, the text follows its own direction', async () => {
    await using opened = await browser.open('scene=rtl&dir=rtl&mode=assistant')
    const { page } = opened
    await settled(page)
    const [avatar, body] = await page.evaluate(() =>
      ['.ck-avatar', '.ck-body'].map((name) => document.querySelector(name)!.getBoundingClientRect().left),
    )
    expect(avatar!).toBeGreaterThan(body!)
    await page.screenshot({ path: join(shots, 'rtl.png') })
  })

  test('[17.1] reduced motion: nothing moves', async () => {
    await using opened = await browser.open('', { reducedMotion: 'reduce' })
    const { page } = opened
    await settled(page)
    void page.evaluate(() => window.test.kit.send('Hi'))
    await page.locator('.ck-dot').first().waitFor()
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
    await page.evaluate(() => window.test.finish())
  })

  test('[17.4] "auto" follows the system, and the host page keeps its own styles', async () => {
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
