import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mixedAnswer } from '../markdown-samples.ts'
import { openBrowser, type Opened, type TestBrowser } from './open-browser.ts'

let browser: TestBrowser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser[Symbol.asyncDispose]())

type Figures = { total: number; mean: number; p95: number; max: number; longTasks: number; longest: number }

/** Streams a text, so many characters in each drawn frame, and measures the frames. */
function stream({ page }: Opened, text: string, perFrame: number): Promise<Figures> {
  return page.evaluate(
    async ([whole, step]) => {
      const tasks: number[] = []
      const observer = new PerformanceObserver((list) =>
        tasks.push(...list.getEntries().map(({ duration }) => duration)),
      )
      observer.observe({ type: 'longtask' })
      const { kit, push, finish } = window.test
      const done = kit.send('Tell me everything about rivers.')
      const frames: number[] = []
      let last = await new Promise<number>((resolve) => requestAnimationFrame(resolve))
      const started = last
      for (let at = 0; at < whole.length; at += step) {
        push({ op: 'text_delta', key: '0', delta: whole.slice(at, at + step) })
        const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve))
        frames.push(now - last)
        last = now
      }
      finish()
      await done
      await new Promise((resolve) => requestAnimationFrame(resolve))
      observer.disconnect()
      const sorted = frames.toSorted((a, b) => a - b)
      return {
        total: last - started,
        mean: frames.reduce((sum, value) => sum + value, 0) / frames.length,
        p95: sorted[Math.floor(sorted.length * 0.95)]!,
        max: sorted.at(-1)!,
        longTasks: tasks.length,
        longest: Math.max(0, ...tasks),
      }
    },
    [text, perFrame] as const,
  )
}

const line = ({ total, mean, p95, max, longTasks, longest }: Figures) =>
  `${total.toFixed(0)} ms, frame mean ${mean.toFixed(1)}, p95 ${p95.toFixed(1)}, max ${max.toFixed(1)} ms; tasks over 50 ms: ${longTasks} (longest ${longest.toFixed(0)})`

describe('[19] budgets', () => {
  test('[19 B1] 50 000 characters stream without a frame that people notice', { timeout: 120_000 }, async () => {
    await using opened = await browser.open('mode=assistant')
    const figures = await stream(opened, mixedAnswer(50_000), 50)
    console.log(`B1  50 000 characters, 50 per frame: ${line(figures)}`)
    expect(figures.p95).toBeLessThan(100)
    expect(await opened.page.evaluate(() => window.test.errors)).toEqual([])
  })

  test('[19 B4] the same into the last of 1 000 messages', { timeout: 120_000 }, async () => {
    await using opened = await browser.open('mode=assistant&scene=thousand')
    await opened.page.waitForSelector('.ck-row')
    const figures = await stream(opened, mixedAnswer(20_000), 50)
    console.log(`B4  20 000 characters below 1 000 messages: ${line(figures)}`)
    expect(figures.p95).toBeLessThan(100)
  })
})

describe('[16.2] incomplete text in the page', () => {
  test('[16.2] the last frame of a streamed answer and the text rendered at once are the same DOM', async () => {
    await using opened = await browser.open('')
    const text = `${mixedAnswer(4000)}\n\nand **bold`
    const [streamed, atOnce] = await opened.page.evaluate((whole) => {
      const { renderMarkdown } = window.test
      for (let end = 0; end < whole.length; end += 17) renderMarkdown('streamed', whole.slice(0, end), true)
      renderMarkdown('streamed', whole, true)
      renderMarkdown('streamed', whole, false)
      renderMarkdown('once', whole, false)
      const html = (id: string) => document.getElementById(id)!.innerHTML.replaceAll(/(?:_r_|:r)\w+[_:]/g, 'id')
      return [html('streamed'), html('once')]
    }, text)
    expect(streamed).toBe(atOnce)
  })

  test('[16.2] the nodes of a closed block are the same objects until the end', async () => {
    await using opened = await browser.open('')
    const kept = await opened.page.evaluate((whole) => {
      const { renderMarkdown } = window.test
      const half = whole.slice(0, 2000)
      renderMarkdown('md', half, true)
      const before = [...document.querySelectorAll('#md .ck-group > *')].slice(0, -2)
      for (let end = 2000; end <= whole.length; end += 50) renderMarkdown('md', whole.slice(0, end), true)
      renderMarkdown('md', whole, false)
      const after = [...document.querySelectorAll('#md .ck-group > *')]
      return before.length > 10 && before.every((node, i) => node === after[i])
    }, mixedAnswer(4000))
    expect(kept).toBe(true)
  })
})

describe('[13] scrolling', () => {
  const atEnd = ({ page }: Opened) =>
    page.evaluate(() => {
      const list = document.querySelector('.ck-list')!
      return list.scrollHeight - list.scrollTop - list.clientHeight
    })

  test('[13] the list follows the end for a reader who is there, and stays put for one who is not', async () => {
    await using opened = await browser.open('mode=assistant')
    const { page } = opened
    const sent = page.evaluate(() => window.test.kit.send('Go'))
    const say = (text: string) =>
      page.evaluate(async (delta) => {
        window.test.push({ op: 'text_delta', key: '0', delta })
        for (let i = 0; i < 4; i++) await new Promise((resolve) => requestAnimationFrame(resolve))
      }, text)
    await say(mixedAnswer(6000))
    expect(await atEnd(opened)).toBeLessThan(2)

    await page.mouse.move(500, 400)
    await page.mouse.wheel(0, -900)
    await page.getByRole('button', { name: /To the latest/ }).waitFor()
    const place = () => page.evaluate(() => document.querySelector('.ck-list')!.scrollTop)
    const before = await place()
    await say(mixedAnswer(3000))
    expect(await place()).toBe(before)

    await page.getByRole('button', { name: /To the latest/ }).click()
    await say('\n\nmore')
    expect(await atEnd(opened)).toBeLessThan(2)
    await page.evaluate(() => window.test.finish())
    await sent
  })
})
