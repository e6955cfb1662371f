import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser, settled, type TestBrowser } from './open-browser.ts'

let browser: TestBrowser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser[Symbol.asyncDispose]())

const messages = (page: Page) => page.evaluate(() => window.test.kit.store.getSnapshot().messages.length)
const focusedName = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement!
    return element.getAttribute('aria-label') ?? element.textContent?.trim().slice(0, 40) ?? ''
  })

/** The three orders in which browsers report the Enter that ends a composition. */
const ORDERS: [string, { type: string; init: object }[]][] = [
  [
    'Chromium',
    [
      { type: 'compositionstart', init: {} },
      { type: 'keydown', init: { key: 'Enter', keyCode: 229, isComposing: true } },
      { type: 'compositionend', init: { data: '你好' } },
    ],
  ],
  [
    'Firefox',
    [
      { type: 'compositionstart', init: {} },
      { type: 'keydown', init: { key: 'Enter', keyCode: 13, isComposing: true } },
      { type: 'compositionend', init: { data: '你好' } },
    ],
  ],
  [
    'WebKit',
    [
      { type: 'compositionstart', init: {} },
      { type: 'compositionend', init: { data: '你好' } },
      { type: 'keydown', init: { key: 'Enter', keyCode: 229, isComposing: false } },
    ],
  ],
  [
    'old WebKit',
    [
      { type: 'compositionstart', init: {} },
      { type: 'compositionend', init: { data: '你好' } },
      { type: 'keydown', init: { key: 'Enter', keyCode: 13, isComposing: false } },
    ],
  ],
]

describe('[K17.2] keyboard and input methods', () => {
  test.each(ORDERS)('[K17.2] Enter while composing never sends (%s)', async (_, events) => {
    await using opened = await browser.open('')
    const { page } = opened
    const box = page.getByRole('textbox', { name: 'Message' })
    await box.fill('你好')
    await box.evaluate((element, list) => {
      for (const { type, init } of list) {
        const Kind = type === 'keydown' ? KeyboardEvent : CompositionEvent
        element.dispatchEvent(new Kind(type, { bubbles: true, cancelable: true, ...init }))
      }
    }, events)
    expect(await messages(page)).toBe(0)
    // Past the moment in which an Enter still belongs to the composition.
    await page.waitForFunction((ended) => performance.now() > ended + 50, await page.evaluate(() => performance.now()))
    await box.press('Enter')
    await page.waitForFunction(() => window.test.kit.store.getSnapshot().messages.length === 2)
  })

  test('[K17.2] Shift+Enter breaks the line, Enter sends, Escape stops, the button keeps its place and focus', async () => {
    await using opened = await browser.open('')
    const { page } = opened
    const box = page.getByRole('textbox', { name: 'Message' })
    await box.fill('one')
    await box.press('Shift+Enter')
    await box.pressSequentially('two')
    expect(await box.inputValue()).toBe('one\ntwo')
    await box.press('Enter')
    await page.getByRole('button', { name: 'Stop answering' }).waitFor()
    expect(await box.isEnabled()).toBe(true)
    await box.press('Escape')
    await page.getByText('Stopped').first().waitFor()
    await box.fill('again')
    const button = page.locator('.ck-send')
    await button.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Stop answering' }).waitFor()
    expect(await focusedName(page)).toBe('Stop answering')
    await page.evaluate(() => window.test.finish())
    await page.getByRole('button', { name: 'Send', exact: true }).waitFor()
    expect(await focusedName(page)).toBe('Send')
  })

  test('[K17.2] F6 moves between list and composer', async () => {
    await using opened = await browser.open('scene=answer')
    const { page } = opened
    await page.locator('.ck-row').first().waitFor()
    await page.getByRole('textbox', { name: 'Message' }).focus()
    await page.keyboard.press('F6')
    expect(await focusedName(page)).toBe('Conversation')
    await page.keyboard.press('F6')
    expect(await focusedName(page)).toBe('Message')
  })

  test('[K17.2] Tab reaches every control of the answer, each with a name and a visible focus', async () => {
    await using opened = await browser.open('scene=agent&mode=assistant')
    const { page } = opened
    await page.getByText('Thoughts').waitFor()
    await settled(page)
    const names: string[] = []
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab')
      const stop = await page.evaluate(() => {
        const element = document.activeElement as HTMLElement
        if (element === document.body) return null
        const style = getComputedStyle(element)
        const box = element.closest('.ck-composer-box')
        const isSeen =
          (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1) ||
          (box && getComputedStyle(box).boxShadow !== 'none')
        return { name: element.getAttribute('aria-label') ?? element.textContent ?? '', isSeen: Boolean(isSeen) }
      })
      if (!stop) break
      expect(stop.isSeen, stop.name).toBe(true)
      expect(stop.name.trim()).not.toBe('')
      names.push(stop.name)
    }
    for (const wanted of [
      'New conversation',
      'History',
      'Conversation',
      'Thoughts',
      'Count the locks',
      'Delete the cache',
      'Copy',
      'Message',
      'Attach a file',
    ])
      expect(
        names.some((name) => name.includes(wanted)),
        wanted,
      ).toBe(true)
  })

  test('[K17.1] opening a drawer moves the focus in, Tab stays inside, Escape moves it back', async () => {
    await using opened = await browser.open('scene=passages&mode=assistant')
    const { page } = opened
    const source = page.getByRole('button', { name: /^Source 7/ })
    await source.focus()
    await page.keyboard.press('Enter')
    const drawer = page.getByRole('dialog', { name: 'Return policy' })
    await drawer.locator('mark').waitFor()
    for (let i = 0; i < 8; i++) {
      await page.keyboard.press('Tab')
      expect(await page.evaluate(() => document.activeElement?.closest('[role=dialog]') !== null)).toBe(true)
    }
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    expect(await focusedName(page)).toContain('Source 7')
  })
})

describe('[K14] questions and confirmations', () => {
  test('[K14] a question is answered with the keyboard: one choice, several, free text', async () => {
    await using opened = await browser.open('scene=ask&mode=assistant')
    const { page } = opened
    await page.getByRole('radio', { name: /staging/ }).check()
    await page.getByRole('checkbox', { name: 'types' }).check()
    await page.getByRole('checkbox', { name: 'tests' }).check()
    await page.getByRole('textbox', { name: 'Your own answer' }).last().fill('and the docs')
    await page.getByRole('button', { name: 'Submit' }).press('Enter')
    await page.waitForFunction(() => window.test.answers.length === 1)
    const [answer] = await page.evaluate(() => window.test.answers)
    expect(answer).toMatchObject({ questionID: 'q1', selections: { 0: [0], 1: [0, 1] }, custom: { 1: 'and the docs' } })
  })

  test('[K14] a confirmation shows risk and arguments, refuses broken JSON and sends the edited ones', async () => {
    await using opened = await browser.open('scene=ask&mode=assistant')
    const { page } = opened
    const card = page.getByRole('group', { name: 'Run a command' })
    await card.getByText('High risk').waitFor()
    await card.getByRole('button', { name: 'Edit first' }).click()
    const box = card.getByRole('textbox')
    await box.fill('{ broken')
    await card.getByText('This is not a JSON object.').waitFor()
    expect(await card.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true)
    await box.fill('{"command":"rm -rf build"}')
    await card.getByRole('button', { name: 'Approve' }).click()
    await page.waitForFunction(() => window.test.answers.length === 1)
    const [answer] = await page.evaluate(() => window.test.answers)
    expect(answer).toMatchObject({ confirmationId: 'c1', approved: true, editedArguments: { command: 'rm -rf build' } })
  })
})

test('[K14] only a confirmation that waits for this reader asks for one, and only it is amber', async () => {
  await using opened = await browser.open('scene=decided&mode=assistant')
  await using asked = await browser.open('scene=ask&mode=assistant')
  const cards = opened.page.locator('.ck-confirmation')
  await opened.page.getByRole('group', { name: 'Run a command: Approved' }).waitFor()
  await opened.page.getByRole('group', { name: 'Run a command: Waiting for the team to approve' }).waitFor()
  expect(await cards.getByText('High risk').count()).toBe(1)
  expect(await cards.getByRole('button', { name: /Approve|Reject|Edit/ }).count()).toBe(0)
  expect(await cards.getByText(/please confirm/i).count()).toBe(0)
  const border = (card: Element) => getComputedStyle(card).borderTopColor
  const amber = await asked.page.getByRole('group', { name: 'Run a command' }).evaluate(border)
  expect(await cards.evaluateAll((all) => all.map((card) => getComputedStyle(card).borderTopColor))).not.toContain(
    amber,
  )
})

describe('[K17.1] what is said', () => {
  test('[K17.1] the live region says that an answer begins and how it ends; the streaming text is in none', async () => {
    await using opened = await browser.open('')
    const { page } = opened
    await page.evaluate(() => {
      const said: string[] = []
      Object.assign(window, { said })
      new MutationObserver(() => {
        const text = document.querySelector('[role=status][aria-live]')!.textContent!
        if (said.at(-1) !== text) said.push(text)
      }).observe(document.querySelector('[role=status][aria-live]')!, {
        characterData: true,
        childList: true,
        subtree: true,
      })
    })
    const sent = page.evaluate(() => window.test.kit.send('Hi'))
    for (const word of ['Kaub ', 'is ', 'falling.'])
      await page.evaluate(async (delta) => {
        window.test.push({ op: 'text_delta', key: '0', delta })
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      }, word)
    await page.evaluate(() => window.test.finish())
    await sent
    await page.waitForFunction(() => (window as unknown as { said: string[] }).said.length >= 2)
    const said = await page.evaluate(() => (window as unknown as { said: string[] }).said)
    expect(said).toEqual(['AI assistant is answering', 'Answer complete. Kaub is falling.'])
    expect(await page.locator('.ck-list').getAttribute('aria-live')).toBe('off')
  })
})
