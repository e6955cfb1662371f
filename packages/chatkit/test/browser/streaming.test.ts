import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anyMarkdown, cuts, mixedAnswer } from '../markdown-samples.ts'
import { openBrowser, type Opened, type TestBrowser } from './open-browser.ts'
import { watchCommits } from './rendered-blocks.ts'

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

describe('[K19] budgets', () => {
  // Times are the bench's business: here they are printed, and the answer must be whole.
  const LAST = 'These were all the gauges.'

  test('[KB1] an answer of many frames is drawn to its end', async () => {
    await using opened = await browser.open('mode=assistant')
    const figures = await stream(opened, `${mixedAnswer(10_000)}\n\n${LAST}`, 50)
    console.log(`B1  10 000 characters, 50 per frame: ${line(figures)}`)
    await opened.page.getByText(LAST).waitFor()
    expect(await opened.page.evaluate(() => window.test.errors)).toEqual([])
  })

  test('[KB4] and so is one below 1 000 messages', async () => {
    await using opened = await browser.open('mode=assistant&scene=thousand')
    await opened.page.waitForSelector('.ck-row')
    const figures = await stream(opened, `${mixedAnswer(5000)}\n\n${LAST}`, 50)
    console.log(`B4  5 000 characters below 1 000 messages: ${line(figures)}`)
    await opened.page.getByText(LAST).waitFor()
    expect(await opened.page.evaluate(() => window.test.errors)).toEqual([])
  })
})

describe('[K16.2] incomplete text in the page', () => {
  /** Streams each text in its pieces, renders it at once too, and gives the texts whose two elements differ. */
  const differing = ({ page }: Opened, samples: readonly (readonly [string, number[]])[]) =>
    page.evaluate((all) => {
      const { renderMarkdown } = window.test
      const html = (id: string) => document.getElementById(id)!.innerHTML.replaceAll(/(?:_r_|:r)\w+[_:]/g, 'id')
      return all.filter(([text, ends], i) => {
        for (const end of ends) renderMarkdown(`streamed-${i}`, text.slice(0, end), true)
        renderMarkdown(`streamed-${i}`, text, true)
        renderMarkdown(`streamed-${i}`, text, false)
        renderMarkdown(`once-${i}`, text, false)
        return html(`streamed-${i}`) !== html(`once-${i}`)
      })
    }, samples)

  test('[K16.2] the last frame of a streamed answer and the text rendered at once are the same DOM', async () => {
    await using opened = await browser.open('')
    const text = `${mixedAnswer(4000)}\n\nand **bold`
    const ends = Array.from({ length: Math.ceil(text.length / 17) }, (_, i) => i * 17)
    expect(await differing(opened, [[text, ends]])).toEqual([])
  })

  test('[K16.2] and so they are for any text in any pieces', async () => {
    await using opened = await browser.open('')
    const any = anyMarkdown.chain((text) => cuts(text).map((ends): [string, number[]] => [text, ends]))
    expect(await differing(opened, fc.sample(any, { numRuns: 400, seed: 16 }))).toEqual([])
    expect(await opened.page.evaluate(() => window.test.errors)).toEqual([])
  })

  test('[K16.2] the nodes of a closed block are the same objects until the end', async () => {
    await using opened = await browser.open('')
    const [kept, lost] = await opened.page.evaluate((whole) => {
      const { renderMarkdown } = window.test
      const nodes = () => [...document.querySelectorAll('#md .ck-group > *')]
      let closed: Element[] = []
      let lost = 0
      for (let end = 37; end < whole.length + 37; end += 37) {
        renderMarkdown('md', whole.slice(0, end), true)
        const now = nodes()
        lost += closed.filter((node, i) => node !== now[i]).length
        closed = now.slice(0, -2)
      }
      renderMarkdown('md', whole, false)
      const last = nodes()
      return [closed.length, lost + closed.filter((node, i) => node !== last[i]).length]
    }, mixedAnswer(6000))
    expect(kept).toBeGreaterThan(40)
    expect(lost).toBe(0)
  })

  test('[K16.2] the end of the message leaves its nodes as they are', async () => {
    await using opened = await browser.open('mode=assistant')
    const isSame = await opened.page.evaluate(async (text) => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      const { kit, push, finish } = window.test
      const done = kit.send('Tell me.')
      while (!document.querySelector('.ck-waiting')) await frame()
      push({ op: 'text_delta', key: '0', delta: text })
      while (!document.querySelector('.ck-md')) await frame()
      const nodes = () => [...document.querySelectorAll('.ck-md, .ck-group, .ck-group > *')]
      const before = nodes()
      finish()
      await done
      await frame()
      const after = nodes()
      return before.length > 10 && before.length === after.length && before.every((node, i) => node === after[i])
    }, mixedAnswer(1150))
    expect(isSame).toBe(true)
  })
})

describe('[K16.3] cost in the page', () => {
  test('[K16.3] only the last blocks are drawn again while an answer grows', async () => {
    await using opened = await browser.open('mode=assistant')
    const { page } = opened
    await watchCommits(page)
    const commits = await page.evaluate(async (whole) => {
      const { kit, push, finish } = window.test
      const done = kit.send('Tell me everything.')
      for (let at = 0; at < whole.length; at += 40) {
        push({ op: 'text_delta', key: '0', delta: whole.slice(at, at + 40) })
        await new Promise((resolve) => requestAnimationFrame(resolve))
      }
      finish()
      await done
      return window.commits
    }, mixedAnswer(8000))
    expect(commits.length).toBeGreaterThan(150)
    expect(commits.at(-1)!.all.length).toBeGreaterThan(60)
    // A frame may close the open block, hold one whole, and open another.
    const early = commits.filter(({ all, drawn }) => drawn.some((key) => !all.slice(-3).includes(key)))
    expect(early).toEqual([])
  })

  test('[K16.3] nor is anything but the end of the answer touched in the page', async () => {
    await using opened = await browser.open('')
    const touched = await opened.page.evaluate(async (whole) => {
      const { renderMarkdown } = window.test
      renderMarkdown('md', whole.slice(0, 1500), true)
      const closed = [...document.querySelectorAll('#md .ck-group > *')].slice(0, -2)
      const changes: MutationRecord[] = []
      const observer = new MutationObserver((records) => changes.push(...records))
      for (const node of closed)
        observer.observe(node, { subtree: true, childList: true, characterData: true, attributes: true })
      for (let end = 1500; end < whole.length; end += 23) renderMarkdown('md', whole.slice(0, end), true)
      renderMarkdown('md', whole, false)
      await Promise.resolve()
      observer.disconnect()
      return [closed.length, changes.length]
    }, mixedAnswer(6000))
    expect(touched[0]).toBeGreaterThan(12)
    expect(touched[1]).toBe(0)
  })

  test(
    '[K16.3] an answer of 100 000 characters holds its text a few times, not once per block',
    { timeout: 60_000 },
    async () => {
      await using opened = await browser.open('')
      const { page } = opened
      const devTools = await page.context().newCDPSession(page)
      const heap = async () => {
        await devTools.send('HeapProfiler.collectGarbage')
        return (await devTools.send('Runtime.getHeapUsage')).usedSize
      }
      const before = await heap()
      await page.evaluate((whole) => {
        // A text grows as streams make it grow: each one is another string.
        let text = ''
        for (let at = 0; at < whole.length; at += 100) {
          text += whole.slice(at, at + 100)
          window.test.renderMarkdown('md', text, true)
        }
      }, mixedAnswer(100_000))
      const perCharacter = ((await heap()) - before) / 100_000
      console.log(`heap: ${perCharacter.toFixed(0)} bytes per character of a streamed answer`)
      expect(perCharacter).toBeLessThan(200)
    },
  )
})

describe('[K13] scrolling', () => {
  const atEnd = ({ page }: Opened) =>
    page.evaluate(() => {
      const list = document.querySelector('.ck-list')!
      return list.scrollHeight - list.scrollTop - list.clientHeight
    })

  test('[K13] the list follows the end for a reader who is there, and stays put for one who is not', async () => {
    await using opened = await browser.open('mode=assistant')
    const { page } = opened
    const sent = page.evaluate(() => window.test.kit.send('Go'))
    const say = (text: string) =>
      page.evaluate(async (delta) => {
        window.test.push({ op: 'text_delta', key: '0', delta })
        for (let i = 0; i < 4; i++) await new Promise((resolve) => requestAnimationFrame(resolve))
      }, text)
    // A busy machine takes more than a few frames to draw it.
    await say(mixedAnswer(6000))
    await expect.poll(() => atEnd(opened)).toBeLessThan(2)

    await page.mouse.move(500, 400)
    await page.mouse.wheel(0, -900)
    await page.getByRole('button', { name: /Jump to latest/ }).waitFor()
    const place = () => page.evaluate(() => document.querySelector('.ck-list')!.scrollTop)
    let before = -1
    const isStill = async () => before === (before = await place())
    await expect.poll(isStill, { interval: 200 }).toBe(true)
    await say(mixedAnswer(3000))
    expect(await place()).toBe(before)

    await page.getByRole('button', { name: /Jump to latest/ }).click()
    await say('\n\nmore')
    await expect.poll(() => atEnd(opened)).toBeLessThan(2)
    await page.evaluate(() => window.test.finish())
    await sent
  })
})
