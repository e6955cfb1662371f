/** The loads of the budgets, each in a page of its own. Every one ends by itself. */
import type { CDPSession, Page } from 'playwright-core'
import type { Frames } from './page/harness.ts'
import type { ContenderName } from './contenders.ts'
import type { Pages } from './open-pages.ts'

export type Row = Record<string, number>
export type Load = (pages: Pages, name: ContenderName) => Promise<Row>

const LOAD_MS = 180_000
const MESSAGES = 1000
const MESSAGE_LENGTH = 600
const QUARTERS = 4
const KEYS = 100
const KEY_EVERY_MS = 60

/** B1, B2: one answer of so many characters, so many in each frame. */
export function streaming(length: number, perFrame: number): Load {
  return (pages, name) =>
    inPage(pages, name, async (page, devTools) => {
      await page.evaluate(() => window.bench.mount())
      await page.evaluate((characters) => window.bench.ask(characters), length)
      const before = await metrics(devTools)
      const frames: Frames[] = []
      const quarters: Row[] = []
      for (let quarter = 0; quarter < QUARTERS; quarter++) {
        const from = await metrics(devTools)
        frames.push(await streamNext(page, length / QUARTERS, perFrame))
        quarters.push(difference(await metrics(devTools), from))
      }
      await page.evaluate(() => window.bench.finish())
      const { ScriptDuration, TaskDuration } = difference(await metrics(devTools), before)
      const meanOf = ({ intervals }: Frames) => mean(intervals)
      const lastToFirst = (metric: string) => quarters.at(-1)![metric]! / quarters[0]![metric]!
      const longTasks = frames.flatMap(({ longTasks }) => longTasks)
      return {
        'script s': ScriptDuration!,
        'all work s': TaskDuration!,
        'frame p95 ms': quantile(
          frames.flatMap(({ intervals }) => intervals),
          0.95,
        ),
        'tasks over 50 ms': longTasks.length,
        'longest task ms': Math.max(0, ...longTasks),
        'frame, last quarter / first': meanOf(frames.at(-1)!) / meanOf(frames[0]!),
        'script, last quarter / first': lastToFirst('ScriptDuration'),
        'all work, last quarter / first': lastToFirst('TaskDuration'),
        'heap MiB': await heapMiB(devTools),
      }
    })
}

/** B3: a long conversation is opened. */
export const firstPaint: Load = (pages, name) =>
  inPage(pages, name, async (page, devTools) => {
    const size = [MESSAGES, MESSAGE_LENGTH] as const
    const { ms, elements } = await page.evaluate(([count, length]) => window.bench.firstPaint(count, length), size)
    return { 'first paint ms': ms, elements, 'heap MiB': await heapMiB(devTools) }
  })

/** B4: an answer streams below a long conversation. */
export const streamingBelow: Load = (pages, name) =>
  inPage(pages, name, async (page, devTools) => {
    await openLong(page)
    await page.evaluate(() => window.bench.ask(20_000))
    const before = await metrics(devTools)
    const { intervals, longTasks } = await streamNext(page, 20_000, 50)
    const { ScriptDuration } = difference(await metrics(devTools), before)
    return {
      'frame p95 ms': quantile(intervals, 0.95),
      'script s': ScriptDuration!,
      'tasks over 50 ms': longTasks.length,
    }
  })

/** B5: the same, while the user types the next question. */
export const typing: Load = (pages, name) =>
  inPage(pages, name, async (page) => {
    await openLong(page)
    await page.evaluate(() => {
      window.bench.ask(100_000)
      window.bench.watchKeys()
    })
    await page.locator('textarea').first().focus()
    await Promise.all([streamNext(page, 50 * 450, 50), pressKeys(page)])
    const typed = await page.locator('textarea').first().inputValue()
    if (typed.length !== KEYS) throw new Error(`${name} kept ${typed.length} of ${KEYS} characters.`)
    const keys = await page.evaluate(() => window.bench.keys())
    return { 'input to paint p95 ms': quantile(keys, 0.95), 'input to paint p50 ms': quantile(keys, 0.5) }
  })

/** B7: a chat that comes and goes; what stays is a leak. */
export const comingAndGoing: Load = (pages, name) =>
  inPage(pages, name, async (page, devTools) => {
    // What is made once and kept, caches and compiled code, is not what is asked for.
    await page.evaluate(() => window.bench.comeAndGo(10, 20))
    const before = await heapMiB(devTools)
    await page.evaluate(() => window.bench.comeAndGo(100, 20))
    return { 'heap growth MiB': (await heapMiB(devTools)) - before }
  })

async function inPage(
  pages: Pages,
  name: ContenderName,
  measure: (page: Page, devTools: CDPSession) => Promise<Row>,
): Promise<Row> {
  await using opened = await pages.open(name)
  const timer = AbortSignal.timeout(LOAD_MS)
  const late = new Promise<never>((_, reject) =>
    timer.addEventListener('abort', () => reject(new Error(`${name} did not finish in ${LOAD_MS / 1000} s.`))),
  )
  return await Promise.race([measure(opened.page, opened.devTools), late])
}

async function openLong(page: Page): Promise<void> {
  const size = [MESSAGES, MESSAGE_LENGTH] as const
  await page.evaluate(([count, length]) => window.bench.firstPaint(count, length), size)
}

async function pressKeys(page: Page): Promise<void> {
  for (let i = 0; i < KEYS; i++) await page.keyboard.press('abcdefghij'[i % 10]!, { delay: KEY_EVERY_MS })
}

const streamNext = (page: Page, characters: number, perFrame: number): Promise<Frames> =>
  page.evaluate(([count, step]) => window.bench.streamNext(count, step), [characters, perFrame] as const)

async function metrics(devTools: CDPSession): Promise<Row> {
  const { metrics } = await devTools.send('Performance.getMetrics')
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]))
}

function difference(after: Row, before: Row): Row {
  return Object.fromEntries(Object.entries(after).map(([name, value]) => [name, value - before[name]!]))
}

async function heapMiB(devTools: CDPSession): Promise<number> {
  // Twice: the first one runs finalisers, whose objects only the second one frees.
  for (let i = 0; i < 2; i++) await devTools.send('HeapProfiler.collectGarbage')
  return (await metrics(devTools)).JSHeapUsedSize! / 1024 / 1024
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

export function quantile(values: readonly number[], q: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? Number.NaN
}
