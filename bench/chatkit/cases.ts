/** What must be right whatever it costs: Chinese emphasis, and Enter while an input method composes. */
import { setTimeout as delay } from 'node:timers/promises'
import type { CDPSession, Page } from 'playwright-core'
import type { ContenderName } from './contenders.ts'
import type { Opened, Pages } from './open-pages.ts'

export type Case = { what: string; isRight: boolean }

const EMPHASIS: readonly (readonly [markdown: string, expected: string])[] = [
  ['**注意：**正文', 'strong:注意：'],
  ['**复现：**10 轮', 'strong:复现：'],
  ['含**「重点」**内容', 'strong:「重点」'],
  ['~~删除。~~这句', 'del:删除。'],
]
const WORDS = '你好'
/** A chat that sends at all has sent by then. */
const SENT_MS = 500
/** Nobody presses the same key again sooner. */
const NEXT_KEY_MS = 200

export async function emphasisCases(pages: Pages, name: ContenderName): Promise<Case[]> {
  await using opened = await pages.open(name)
  const cases: Case[] = []
  for (const [markdown, expected] of EMPHASIS) {
    const found = await opened.page.evaluate((text) => window.bench.emphasisOf(text), markdown)
    cases.push({ what: `\`${markdown}\``, isRight: found.join() === expected })
  }
  return cases
}

/** Chromium says `isComposing` with the Enter that picks a word; Safari has ended the composition by then. */
export async function inputMethodCases(pages: Pages, name: ContenderName): Promise<Case[]> {
  const whileComposing = await sentBy(pages, name, async ({ devTools }) => {
    await devTools.send('Input.imeSetComposition', { text: WORDS, selectionStart: 2, selectionEnd: 2 })
    await pressComposingEnter(devTools)
  })
  const endingIt = await sentBy(pages, name, async ({ page, devTools }) => {
    await devTools.send('Input.insertText', { text: WORDS })
    await endLikeSafari(page)
  })
  const afterwards = await sentBy(pages, name, async ({ page, devTools }) => {
    await devTools.send('Input.imeSetComposition', { text: WORDS, selectionStart: 2, selectionEnd: 2 })
    await devTools.send('Input.insertText', { text: WORDS })
    await delay(NEXT_KEY_MS)
    await page.keyboard.press('Enter')
  })
  return [
    { what: 'Enter while composing does not send', isRight: whileComposing.length === 0 },
    { what: "nor does the Enter that ends it, in Safari's order", isRight: endingIt.length === 0 },
    { what: 'an Enter after it sends the words, once', isRight: afterwards.join() === WORDS },
  ]
}

/** What a fresh chat has sent, a moment after something was done in its text box. */
async function sentBy(pages: Pages, name: ContenderName, act: (opened: Opened) => Promise<void>): Promise<string[]> {
  await using opened = await pages.open(name)
  const { page } = opened
  await page.evaluate(() => window.bench.mount())
  await page.locator('textarea').first().focus()
  await act(opened)
  await delay(SENT_MS)
  return await page.evaluate(() => window.bench.sent)
}

async function pressComposingEnter(devTools: CDPSession): Promise<void> {
  const key = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 }
  await devTools.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...key })
  await devTools.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key })
}

async function endLikeSafari(page: Page): Promise<void> {
  await page
    .locator('textarea')
    .first()
    .evaluate((box) => {
      box.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }))
      box.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true }))
      const enter = { key: 'Enter', code: 'Enter', keyCode: 229, bubbles: true, cancelable: true }
      box.dispatchEvent(new KeyboardEvent('keydown', enter))
    })
}
