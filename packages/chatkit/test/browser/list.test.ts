import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser, type TestBrowser } from './open-browser.ts'

let browser: TestBrowser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser[Symbol.asyncDispose]())

describe('[K16.3] a list of 1 000 messages', () => {
  test('[KB3] shows its end with at most 3 000 elements in the document', async () => {
    await using opened = await browser.open('mode=assistant&scene=thousand')
    const { page } = opened
    await page.getByText('Answer 999').waitFor()
    const [elements, rows] = await page.evaluate(() => [
      document.querySelectorAll('*').length,
      document.querySelectorAll('.ck-row').length,
    ])
    console.log(`B3  1 000 messages: ${elements} elements, ${rows} rows drawn`)
    expect(elements).toBeLessThan(3000)
    const paint = await page.evaluate(async () => {
      await window.test.kit.loadConversation('answer')
      await new Promise((resolve) => requestAnimationFrame(resolve))
      const started = performance.now()
      await window.test.kit.loadConversation('thousand')
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
      return performance.now() - started
    })
    console.log(`B3  1 000 messages: ${paint.toFixed(0)} ms from load to paint`)
  })

  test('[K16.3] scrolls through without gaps and without moving what is read', async () => {
    await using opened = await browser.open('mode=assistant&scene=thousand')
    const { page } = opened
    await page.getByText('Answer 999').waitFor()
    const jumps = await page.evaluate(async () => {
      const list = document.querySelector('.ck-list')!
      const top = () => list.getBoundingClientRect().top
      const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      let worst = 0
      let gaps = 0
      for (let i = 0; i < 60; i++) {
        list.scrollTop -= 377
        list.dispatchEvent(new Event('scroll'))
        const row = [...document.querySelectorAll('.ck-row')].find(
          (element) => element.getBoundingClientRect().bottom > top() + 10,
        )
        const before = row?.getBoundingClientRect().top ?? 0
        await frame()
        if (!row?.isConnected) continue
        worst = Math.max(worst, Math.abs(row.getBoundingClientRect().top - before))
        const rows = [...document.querySelectorAll('.ck-row')].map((element) => element.getBoundingClientRect())
        if (rows[0]!.top > top() + 40 || rows.at(-1)!.bottom < top() + list.clientHeight - 40) gaps++
      }
      return { worst, gaps }
    })
    console.log(`scroll: what is read moved by at most ${jumps.worst.toFixed(1)} px; frames with gaps: ${jumps.gaps}`)
    expect(jumps.worst).toBeLessThan(2)
    expect(jumps.gaps).toBe(0)
  })

  test('[K13] content that grows above the view does not move what is read', async () => {
    await using opened = await browser.open('mode=assistant&scene=agent', { viewport: { width: 900, height: 500 } })
    const { page } = opened
    await page.getByText('Thoughts').waitFor()
    const moved = await page.evaluate(async () => {
      const list = document.querySelector('.ck-list')!
      const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      await frame()
      list.scrollTop = 500
      await frame()
      const read = document.querySelector('.ck-tasks')!
      const before = read.getBoundingClientRect().top
      for (const button of document.querySelectorAll<HTMLElement>(
        '.ck-reasoning button, .ck-search button, .ck-steps button',
      ))
        button.click()
      await frame()
      return read.getBoundingClientRect().top - before
    })
    expect(Math.abs(moved)).toBeLessThan(2)
  })

  test('[K16.3] "show all" draws every message, so that find-in-page reaches them', async () => {
    await using opened = await browser.open('mode=assistant&scene=thousand')
    const { page } = opened
    await page.getByText('Answer 999').waitFor()
    await page.evaluate(() => document.querySelector<HTMLElement>('.ck-show-all')!.click())
    await page.waitForFunction(() => document.querySelectorAll('.ck-row').length === 1000)
  })

  test('[K17.2] Home, End, Up and Down move between messages, also to those not drawn', async () => {
    await using opened = await browser.open('mode=assistant&scene=thousand')
    const { page } = opened
    await page.getByText('Answer 999').waitFor()
    await page.locator('.ck-list').focus()
    const focused = () => page.evaluate(() => document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset.row)
    const goes = async (key: string, row: string) => {
      await page.keyboard.press(key)
      await page.waitForFunction(
        (id) => document.activeElement?.closest<HTMLElement>('[data-row]')?.dataset.row === id,
        row,
      )
    }
    const last = await page.evaluate(
      () =>
        document.querySelectorAll<HTMLElement>('[data-row]')[document.querySelectorAll('[data-row]').length - 1]!
          .dataset.row!,
    )
    await goes('ArrowUp', last)
    await page.keyboard.press('Home')
    await page.getByText('Question 0', { exact: true }).waitFor()
    await page.waitForFunction(() => document.activeElement?.textContent?.includes('Question 0'))
    await goes('End', last)
    expect(await focused()).toBe(last)
  })
})

test('[K11] a form that is longer than the view opens at its first question, and its reader goes to its end', async () => {
  await using opened = await browser.open('scene=ask&mode=assistant', { viewport: { width: 420, height: 480 } })
  const { page } = opened
  const form = page.locator('.ck-question')
  await form.waitFor()
  const distance = () =>
    page.evaluate(() => {
      const top = (selector: string) => document.querySelector(selector)!.getBoundingClientRect().top
      return Math.round(top('.ck-question') - top('.ck-list')) + 0
    })
  await expect.poll(distance).toBe(0)
  // What the reader does to it does not move it, and the end is one press away.
  await form.getByLabel('staging').check()
  await form.getByRole('textbox').first().fill('neither')
  expect(await distance()).toBe(0)
  await page.getByRole('button', { name: 'Jump to latest' }).click()
  await expect.poll(distance).toBeLessThan(-200)
})

test('[K12.2] what is no answer cannot be rated; half of one can', async () => {
  await using opened = await browser.open('scene=failed&mode=assistant')
  const { page } = opened
  const thumbs = (text: string) =>
    page.locator('.ck-message', { hasText: text }).getByRole('button', { name: /answer$/ })
  await page.getByText('You have been signed out').waitFor()
  expect(await thumbs('The lev').count()).toBe(2)
  expect(await thumbs('You have been signed out').count()).toBe(0)
})
