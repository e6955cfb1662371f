/** [K17.4] A page's own rules about everything do not change the kit, in the page's own document. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser, settled, type TestBrowser } from './open-browser.ts'
import { resets } from './resets.ts'

let browser: TestBrowser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser[Symbol.asyncDispose]())

/** Every element of the kit: where it is, and what of its look a reset could change. */
const look = (page: Page) =>
  page.evaluate(() => {
    const PROPERTIES =
      `color backgroundColor fontSize fontFamily fontWeight fontStyle lineHeight letterSpacing wordSpacing
      textTransform textAlign textDecorationLine textIndent whiteSpace verticalAlign listStyleType display boxSizing
      borderTopWidth borderTopStyle borderTopColor borderRadius cursor opacity resize maxWidth overflowX`.split(/\s+/)
    const lookOf = (element: Element, pseudo?: string) => {
      const style = getComputedStyle(element, pseudo) as unknown as Record<string, string>
      if (pseudo && /^(?:none|normal)$/.test(style['content'] ?? '')) return ''
      const isEdged = style['borderTopWidth'] !== '0px'
      return PROPERTIES.map((name) => (isEdged || !name.startsWith('borderTop') ? style[name] : '')).join(' ')
    }
    return [...document.querySelectorAll('.ck-root, .ck-root *')].map((element) => {
      const { x, y, width, height } = element.getBoundingClientRect()
      const name = `${element.tagName}.${element.getAttribute('class') ?? ''}`
      const box = [x, y, width, height].map((value) => value.toFixed(1)).join(' ')
      const pseudos = ['::before', '::after'].map((pseudo) => lookOf(element, pseudo))
      return [name, box, lookOf(element), ...pseudos].join(' | ')
    })
  })

const drawn = (page: Page) =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))

/** What is loaded at first use has come, and nothing moves any more. */
async function lookAtRest(page: Page): Promise<string[]> {
  await page.waitForLoadState('networkidle')
  for (let last = await look(page); ;) {
    await drawn(page)
    const next = await look(page)
    if (next.join('\n') === last.join('\n')) return next
    last = next
  }
}

async function addStyles(page: Page, css: string, place: 'first' | 'last'): Promise<void> {
  await page.evaluate(
    ({ text, where }) => {
      const sheet = Object.assign(document.createElement('style'), { textContent: text })
      if (where === 'first') document.head.prepend(sheet)
      else document.head.append(sheet)
    },
    { text: css, where: place },
  )
  await drawn(page)
}

const SCENES = ['answer', 'ask', 'sources', 'failed', 'code']

describe.each(Object.entries(resets))('[K17.4] %s', (_name, css) => {
  test.each(['first', 'last'] as const)('[K17.4] read %s, it changes nothing in the kit', async (place) => {
    for (const scene of SCENES) {
      await using opened = await browser.open(`scene=${scene}&theme=light`, { hasPolicy: false })
      const { page } = opened
      await settled(page)
      if (scene === 'code') await page.locator('.ck-code-comment').first().waitFor()
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
      const before = await lookAtRest(page)
      expect(before.length).toBeGreaterThan(20)
      await addStyles(page, css, place)
      const after = await lookAtRest(page)
      const changed = after.flatMap((line, i) => (line === before[i] ? [] : [`${before[i]}\n→ ${line}`]))
      expect([scene, ...changed.slice(0, 3)]).toEqual([scene])
    }
  })
})

describe('[K13] its height', () => {
  const heightIn = (page: Page, parent: string) =>
    page.evaluate(async (style) => {
      const place = Object.assign(document.createElement('div'), { id: 'place' })
      place.style.cssText = style
      const header = Object.assign(document.createElement('p'), { textContent: 'Header' })
      header.style.cssText = 'flex: none; margin: 0; height: 40px'
      if (style.includes('flex') || style.includes('grid')) place.append(header)
      document.body.append(place)
      const before = document.querySelectorAll('.ck-root').length
      window.test.drawComponent('Second')
      while (document.querySelectorAll('.ck-root').length === before) await new Promise(requestAnimationFrame)
      const root = [...document.querySelectorAll('.ck-root')].at(-1)!
      place.append(root)
      return root.getBoundingClientRect().height
    }, parent)

  test.each([
    ['a parent without a height', '', 640],
    ['a parent with one', 'height: 500px', 500],
    ['a column', 'display: flex; flex-direction: column; height: 600px', 560],
    ['a row', 'display: flex; height: 600px', 600],
    ['a grid', 'display: grid; grid-template-rows: auto 1fr; height: 600px', 560],
  ])('[K13] in %s', async (_name, style, expected) => {
    await using opened = await browser.open('', { hasPolicy: false })
    expect(await heightIn(opened.page, style)).toBe(expected)
  })
})

test('[K17.4] what a page says by class wins over the kit, and so does what its layers say in its own blocks', async () => {
  await using opened = await browser.open('scene=answer', { hasPolicy: false })
  const { page } = opened
  await settled(page)
  await addStyles(page, '.ck-header { padding: 40px } .mine .ck-title { color: rgb(1, 2, 3) }', 'first')
  await page.evaluate(() => document.body.classList.add('mine'))
  expect(await page.locator('.ck-header').evaluate((header) => getComputedStyle(header).paddingTop)).toBe('40px')
  expect(await page.locator('.ck-title').evaluate((title) => getComputedStyle(title).color)).toBe('rgb(1, 2, 3)')
})
