/** Lists of as many rows as there may ever be: what is in sight is drawn, in its place, in time. */
import type { Session } from '@parley/protocol'
import type { RecordedEvents, RunPage } from '@parley/protocol/rest'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RecordedRun } from '../../src/timeline/recorded-run.ts'
import { type Console, looksWrong, openConsole } from './open-console.ts'

let world: Console
beforeAll(async () => {
  world = await openConsole()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const MANY = 10_000
/** A busy machine may be that many times slower than the guide allows. */
const PATIENCE = 20

const rows = (page: Page) => page.locator('a[data-session]')
const focusedTitle = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '')
const placeOf = (page: Page, title: string) =>
  page.locator('[role=listitem]', { hasText: title }).evaluate((row) => row.getBoundingClientRect().top)

async function scrollList(page: Page, by: number): Promise<void> {
  await page.locator('.virtual-list').evaluate((list, px) => list.scrollBy(0, px), by)
}

test('[W11.2] [G2.3] the list is read by cursor: each session once, in order, drawn only where it is in sight', async () => {
  const titles = Array.from({ length: 230 }, (_, index) => `Session ${String(index).padStart(3, '0')}`)
  for (const intent of titles) await world.api('POST', '/api/sessions', { intent })
  await using opened = await world.open('/')
  const { page, problems } = opened
  await rows(page).first().waitFor()
  expect(await rows(page).count()).toBeLessThan(80)
  const first = page.locator('.virtual-list [role=listitem]').first()
  expect(await first.getAttribute('aria-posinset')).toBe('1')
  expect(await first.getAttribute('aria-setsize')).toBe('230')
  const seen = new Map<string, number>()
  await expect
    .poll(
      async () => {
        const drawn = await page
          .locator('.virtual-list [role=listitem]')
          .evaluateAll((all) =>
            all.map((row) => [row.querySelector('.truncate')?.textContent, row.getAttribute('aria-posinset')]),
          )
        for (const [title, place] of drawn) seen.set(title!, Number(place))
        await scrollList(page, 400)
        return seen.size
      },
      { interval: 50 },
    )
    .toBe(230)
  expect([...seen].sort(([, a], [, b]) => a - b).map(([title]) => title)).toEqual(titles.toReversed())
  expect(await looksWrong(page)).toEqual([])

  // What somebody looks at stays where it is when another session moves to the top.
  await scrollList(page, -3_000)
  await expect.poll(() => rows(page).filter({ hasText: 'Session 100' }).count()).toBe(1)
  const { id } = (await world.api<{ items: Session[] }>('GET', '/api/sessions?q=%22Session%20003%22')).items[0]!
  const before = await placeOf(page, 'Session 100')
  await world.api('POST', `/api/sessions/${id}/chat`, { message: 'Up' })
  await page.locator('[aria-posinset]', { hasText: 'Session 100' }).and(page.locator('[aria-posinset="131"]')).waitFor()
  expect(await placeOf(page, 'Session 100')).toBeCloseTo(before, 0)
  expect(problems).toEqual([])
})

test('[G4.3] arrows, Home and End lead through all rows, the list is one stop, and the focus survives scrolling', async () => {
  await using opened = await world.open('/')
  const { page } = opened
  await rows(page).first().waitFor()
  await page.getByRole('searchbox', { name: 'Search' }).press('ArrowDown')
  await expect.poll(() => focusedTitle(page)).toContain('Session 003')
  for (let step = 0; step < 60; step++) await page.keyboard.press('ArrowDown')
  await expect.poll(() => focusedTitle(page)).toContain('Session 170')
  expect(await page.locator('.virtual-list a[tabindex="0"]').count()).toBe(1)
  await scrollList(page, -20_000)
  expect(await focusedTitle(page)).toContain('Session 170')
  await page.keyboard.press('ArrowUp')
  await expect.poll(() => focusedTitle(page)).toContain('Session 171')
  await page.keyboard.press('End')
  await page.keyboard.press('Home')
  await expect.poll(() => focusedTitle(page)).toContain('Session 003')
  // Its menu, and then out of the list.
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-haspopup'))).toBe('menu')
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.closest('.virtual-list') ?? null)).toBeNull()
})

test('[G2.3] ten thousand sessions are shown, scrolled and moved in time', { timeout: 90_000 }, async () => {
  const { items } = await world.api<{ items: Session[] }>('GET', '/api/sessions?limit=1')
  const many = Array.from({ length: MANY }, (_, index) => ({
    ...items[0]!,
    id: `sess_many_${index}`,
    intent: `Many ${index}`,
    updated_at: new Date(Date.now() - index * 60_000).toISOString(),
  }))
  await using opened = await world.open('/embed')
  const { page } = opened
  await page.route('**/api/sessions?*', (route) =>
    route.fulfill({
      json: { items: many, total: MANY, next: null, limit: 100, offset: 0, content_match_truncated: false },
    }),
  )
  await page.route('**/api/sessions/*/pin', (route) => route.fulfill({ json: {} }))
  await page.reload()
  await page.waitForLoadState('networkidle')
  const figures = await page.evaluate(async () => {
    const frame = () => new Promise((tell) => requestAnimationFrame(tell))
    const started = performance.now()
    document.querySelector<HTMLElement>('[data-rail=sessions]')!.click()
    while (!document.querySelector('a[data-session]')) await frame()
    const shown = performance.now() - started
    const list = document.querySelector('.virtual-list')!
    await new Promise((tell) => setTimeout(tell, 500))
    const frames: number[] = []
    let before = performance.now()
    for (let count = 0; count < 120; count++) {
      list.scrollBy(0, 300)
      await frame()
      frames.push(performance.now() - before)
      before = performance.now()
    }
    await new Promise((tell) => setTimeout(tell, 300))
    const drawn = list.querySelectorAll('[role=listitem]').length
    const moves: number[] = []
    for (let count = 0; count < 5; count++) {
      const row = list.querySelectorAll('[role=listitem]')[10]!
      row.querySelector<HTMLElement>('[aria-haspopup=menu]')!.click()
      const pin = row.querySelector<HTMLElement>('[role=menuitem]')!
      await frame()
      const began = performance.now()
      const moved = new Promise((tell) =>
        new MutationObserver(tell).observe(list, { attributeFilter: ['aria-posinset'], subtree: true }),
      )
      pin.click()
      await moved
      moves.push(performance.now() - began)
      await frame()
    }
    frames.sort((a, b) => a - b)
    return { shown, drawn, median: frames[60]!, p95: frames[114]!, moved: Math.max(...moves) }
  })
  console.log('10 000 sessions', rounded(figures))
  expect(figures.drawn).toBeLessThan(100)
  expect(figures.shown).toBeLessThan(150 * PATIENCE)
  expect(figures.p95).toBeLessThan(20 * PATIENCE)
  expect(figures.moved).toBeLessThan(30 * PATIENCE)
})

test('[G2.3] [G5.3] a run of twenty thousand events opens and is scrubbed in time', { timeout: 90_000 }, async () => {
  const session_id = await world.ask('A long run')
  const runs = await world.api<RunPage>('GET', `/api/sessions/${session_id}/runs`)
  const { events } = longRun()
  await using opened = await world.open('/embed')
  const { page } = opened
  await page.route('**/runs?*', (route) =>
    route.fulfill({ json: { ...runs, items: [{ ...runs.items[0]!, run_id: 'run_1' }] } }),
  )
  await page.route('**/events?*', (route) => {
    const after = Number(new URL(route.request().url()).searchParams.get('after'))
    const items = events.filter(({ event_seq }) => event_seq > after).slice(0, 1_000)
    const next = items.length === 1_000 ? items.at(-1)!.event_seq : null
    return route.fulfill({
      json: { items, next, floor: 0, head: events.length, limited_by: null } satisfies RecordedEvents,
    })
  })
  await page.addInitScript(() => {
    new MutationObserver((_, self) => {
      if (!document.querySelector('.virtual-list button')) return
      self.disconnect()
      requestAnimationFrame(() => performance.mark('ledger'))
    }).observe(document, { childList: true, subtree: true })
  })
  await page.goto(`${world.url}/s/${session_id}/runs/run_1`)
  await page.getByText(`Event ${events.length} of ${events.length}`).waitFor({ timeout: 60_000 })
  const figures = await page.evaluate(async () => {
    const opened = performance.getEntriesByType('resource').find(({ name }) => name.includes('/events?'))!
    const shown = performance.getEntriesByName('ledger')[0]?.startTime ?? Number.NaN
    const bar = document.querySelector('main')!
    const steps: number[] = []
    for (let count = 0; count < 60; count++) {
      const began = performance.now()
      const moved = new Promise((tell) =>
        new MutationObserver(tell).observe(bar, { childList: true, subtree: true, characterData: true }),
      )
      document.body.dispatchEvent(
        new KeyboardEvent('keydown', {
          key: 'ArrowLeft',
          code: 'ArrowLeft',
          bubbles: true,
          composed: true,
          cancelable: true,
        }),
      )
      await moved
      steps.push(performance.now() - began)
      await new Promise(requestAnimationFrame)
    }
    steps.sort((a, b) => a - b)
    const drawn = document.querySelectorAll('.virtual-list [role=listitem]').length
    return {
      opened: shown - (opened as PerformanceResourceTiming).responseEnd,
      drawn,
      median: steps[30]!,
      p95: steps[57]!,
    }
  })
  console.log(`a run of ${events.length} events`, rounded(figures))
  expect(figures.drawn).toBeLessThan(100)
  expect(figures.p95).toBeLessThan(16 * PATIENCE)
})

/** As long as a loop may be: fifty answers, each with much text and eight calls. */
function longRun(): RecordedRun {
  const run = new RecordedRun().accept()
  for (let turns = 0; turns < 50; turns++) {
    const turn = run.wait(20).announce()
    for (let words = 0; words < 370; words++) run.wait(20).text(turn, 'word ')
    const calls = run.answer(
      turn,
      Array.from({ length: 8 }, () => 'Read'),
    )
    for (const call of calls) run.wait(5).claim(turn, call).wait(5).result(turn, call)
    run.endTurn(turn).callModel()
  }
  return run.end()
}

const rounded = (figures: Record<string, number>) =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Math.round(value * 10) / 10]))
