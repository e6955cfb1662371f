/** What happened: the record of real runs, on a real server, one of which is killed. */
import { hostname } from 'node:os'
import type { Confirmation } from '@parley/protocol'
import type { RecordedEvents, RunPage } from '@parley/protocol/rest'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort, KEY, openArena, watch } from '../../../../packages/server/test/crash/arena.ts'
import { Witness } from '../../../../packages/server/test/crash/witness.ts'
import type { FakeReply, FakeRequest } from '../../../../packages/testkit/src/index.ts'
import { type Console, CONSOLE_KEY, type Look, looksWrong, openConsole, shoot, visit } from './open-console.ts'

let world: Console
beforeAll(async () => {
  const rules = [{ tool: 'Write', decision: 'ask' as const }]
  const policy = { rules, headless: 'deny' as const, confirmationMinutes: 15 }
  world = await openConsole({ reply: release, options: { policy } })
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** Looks around, then writes a file that somebody must agree to. */
function release({ system, question, results }: FakeRequest): FakeReply {
  if (system.startsWith('You propose')) return {}
  if (question.startsWith('slow')) return { text: 'word '.repeat(4_000), chunkDelayMs: 25 }
  if (!question.startsWith('Release')) return { text: `You said **${question}**.` }
  if (results.length === 0)
    return {
      text: 'I will read the release notes and the pending migration, then write them down.',
      calls: [
        { name: 'Glob', arguments: { pattern: 'migrations/*.sql' } },
        { name: 'Grep', arguments: { pattern: 'ALTER TABLE' } },
      ],
    }
  if (results.length === 2)
    return {
      text: 'The migration adds one column that may be empty. No table is rewritten.',
      calls: [{ name: 'Write', arguments: { file_path: 'notes/release-2.4.md', content: '# 2.4\n' } }],
    }
  return { text: 'Release 2.4 is written down.' }
}

const MESSAGE = 'Release 2.4 to staging. Look at the migration first, and tell me before anything is changed.'

/** A session whose run waited for consent, and got it. */
async function released(): Promise<{ session_id: string; run_id: string }> {
  const session_id = await world.ask('What is new?')
  const at = `/api/sessions/${session_id}`
  await world.api('PATCH', at, { intent: 'Release 2.4 to staging' })
  using asker = new Witness(() => world.url, CONSOLE_KEY, session_id)
  await asker.send({ message: MESSAGE, client_message_id: 'm1' })
  await asker.until(({ pending_question }) => pending_question !== null, 60_000)
  const { items } = await world.api<{ items: Confirmation[] }>('GET', '/api/confirmations?status=pending')
  const asked = items.find((item) => item.session_id === session_id)
  await world.api('POST', `/api/confirmations/${asked?.id}`, { decision: 'approve' })
  const runs = () => world.api<RunPage>('GET', `${at}/runs`)
  await expect.poll(async () => (await runs()).items.map(({ status }) => status)).toEqual(Array(3).fill('completed'))
  return { session_id, run_id: (await runs()).items[1]!.run_id }
}

const row = (page: Page, text: string | RegExp) => page.getByRole('listitem').filter({ hasText: text })
const eventOf = (page: Page) => page.getByText(/^(?:Event \d+ of \d+|第 \d+ 个事件，共 \d+ 个)$/).innerText()

const LOOKS: readonly Look[] = ['light-en', 'dark-zh', 'dark-en', 'light-zh']

test.each(LOOKS)('[G5.3] a run is lanes, a ledger and what people saw at each moment (%s)', async (look) => {
  const { session_id, run_id } = await released()
  await using opened = await world.open(`/s/${session_id}/runs/${run_id}`, { look })
  const { page, problems } = opened
  const isEnglish = look.endsWith('en')
  await row(page, isEnglish ? 'Message accepted' : '消息已接受').waitFor()
  await page.locator('.run-thread .ck-md', { hasText: 'is written down' }).waitFor()
  await page.getByText(isEnglish ? 'Runs 2 – 3 of 3' : '第 2 – 3 次运行，共 3 次').waitFor()
  for (const kind of ['owner', 'model', 'tool', 'person'])
    expect(await page.locator(`[role=gridcell][data-kind=${kind}]`).count(), kind).toBeGreaterThan(0)
  await row(page, isEnglish ? /Paused: .* asks for consent/ : /暂停：.*需要同意/).waitFor()
  // Who decided stands beside the wait, and beside the decision.
  await page
    .locator('[data-kind=person]')
    .getByText(isEnglish ? /^owner approved after/ : /^owner .*后同意$/)
    .waitFor()
  await row(page, /C8/).getByText('owner', { exact: true }).waitFor()
  expect(await looksWrong(page)).toEqual([])
  await row(page, isEnglish ? 'Answer complete, 1 call' : '回答完整，含 1 次调用')
    .getByRole('button')
    .click()
  await page.locator('.run-thread .ck-md', { hasText: 'No table is rewritten' }).waitFor()
  expect(await page.locator('.run-thread .ck-md', { hasText: 'is written down' }).count()).toBe(0)
  await shoot(page, `run-${look}`)

  // The address is the moment.
  await expect.poll(() => page.url()).toContain('at=')
  const before = await eventOf(page)
  await page.reload()
  await page.locator('.run-thread .ck-md', { hasText: 'No table is rewritten' }).waitFor()
  await expect.poll(() => eventOf(page)).toBe(before)
  await page.keyboard.press('2')
  await page.getByText('ALTER TABLE').first().waitFor()
  expect(await looksWrong(page)).toEqual([])
  await shoot(page, `run-model-${look}`)
  await page.keyboard.press('3')
  await page.locator('pre', { hasText: '"event_seq"' }).waitFor()
  expect(await looksWrong(page)).toEqual([])
  expect(problems).toEqual([])
})

test.each(LOOKS)('[G4.2] on a phone the moment lies over the ledger (%s)', async (look) => {
  const { session_id, run_id } = await released()
  await using opened = await world.open(`/s/${session_id}/runs/${run_id}`, { look, width: 390, height: 844 })
  const { page, problems } = opened
  const current = page.locator('[aria-current=step]')
  await current.waitFor()
  expect(await looksWrong(page)).toEqual([])
  await shoot(page, `run-phone-${look}`)
  await current.click()
  await page.getByRole('dialog').locator('.ck-md', { hasText: 'is written down' }).waitFor()
  expect(await looksWrong(page)).toEqual([])
  await shoot(page, `run-phone-moment-${look}`)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test('[G4.3] without a pointer: to the run, through its events, commit points and bars, and back', async () => {
  const { session_id } = await released()
  await using opened = await world.open(`/s/${session_id}/runs`)
  const { page, problems } = opened
  const second = page.getByRole('listitem').nth(1).getByRole('link')
  await second.waitFor()
  expect(await looksWrong(page)).toEqual([])
  await shoot(page, 'runs-light-en')
  await second.focus()
  await page.keyboard.press('Enter')
  await row(page, 'Message accepted').waitFor()
  await page.getByText('Runs 2 – 3 of 3').waitFor()
  const total = Number(/of (\d+)/.exec(await eventOf(page))![1])
  await page.keyboard.press('Home')
  await expect.poll(() => eventOf(page)).toBe(`Event 1 of ${total}`)
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => eventOf(page)).toBe(`Event 2 of ${total}`)
  await page.keyboard.press('Shift+ArrowRight')
  const current = page.locator('[aria-current=step]')
  await expect.poll(() => current.innerText()).toContain('C1')
  await page.keyboard.press('Shift+ArrowRight')
  await expect.poll(() => current.innerText()).toContain('C2a')
  // A space plays, and pauses.
  await page.keyboard.press('Space')
  await expect.poll(async () => Number(/\d+/.exec(await eventOf(page))![0])).toBeGreaterThan(8)
  await page.keyboard.press('Space')
  const paused = await eventOf(page)
  await page.keyboard.press('End')
  expect(paused).not.toBe(`Event ${total} of ${total}`)
  await expect.poll(() => eventOf(page)).toBe(`Event ${total} of ${total}`)
  // The lanes are one stop; up and down go from bar to bar.
  const bar = page.locator('[role=gridcell][tabindex="0"]')
  await bar.focus()
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')).not.toBe('')
  await page.keyboard.press('Enter')
  await expect.poll(() => eventOf(page)).not.toBe(`Event ${total} of ${total}`)
  await page.keyboard.press('Equal')
  await page.getByRole('button', { name: 'Show the whole run' }).waitFor()
  await page.keyboard.press('Minus')
  await page.getByRole('button', { name: 'Show the whole run' }).waitFor({ state: 'detached' })
  const back = page.getByRole('link', { name: 'Back' })
  await back.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'What happened' }).waitFor()
  expect(problems).toEqual([])
})

test('[G5.3] a run that is under way grows, and stays at its end until somebody looks elsewhere', async () => {
  const { session_id } = await world.api<{ session_id: string }>('POST', '/api/sessions', {})
  const running = world.api('POST', `/api/sessions/${session_id}/chat`, { message: 'slow' }).catch(() => undefined)
  const runs = () => world.api<RunPage>('GET', `/api/sessions/${session_id}/runs`)
  await expect.poll(async () => (await runs()).items.length).toBe(1)
  const { run_id } = (await runs()).items[0]!
  await using opened = await world.open(`/s/${session_id}/runs/${run_id}`)
  const { page, problems } = opened
  const shown = async () => Number(/\d+/.exec(await eventOf(page))![0])
  await row(page, 'Message accepted').waitFor()
  const first = await shown()
  await expect.poll(shown).toBeGreaterThan(first)
  await page.keyboard.press('Home')
  await expect.poll(shown).toBe(1)
  const total = async () => Number(/of (\d+)/.exec(await eventOf(page))![1])
  const before = await total()
  await expect.poll(total).toBeGreaterThan(before)
  expect(await shown()).toBe(1)
  await world.api('POST', `/api/sessions/${session_id}/stop`, {}).catch(() => undefined)
  await world.api('DELETE', `/api/sessions/${session_id}`)
  await running
  expect(problems.filter((problem) => !problem.includes('404'))).toEqual([])
})

test('[G5] no run yet, a run that is not there, a session that is not mine, and a server that does not answer', async () => {
  const { session_id } = await world.api<{ session_id: string }>('POST', '/api/sessions', {})
  await using opened = await world.open(`/s/${session_id}/runs`)
  const { page } = opened
  await page.getByText('Nothing has run here yet.').waitFor()
  expect(await looksWrong(page)).toEqual([])
  await page.goto(`${world.url}/s/${session_id}/runs/run_none`)
  await page.getByText('This was deleted, or it is not yours.').waitFor()
  await page.goto(`${world.url}/s/sess_none/runs/run_none`)
  await page.getByText('This was deleted, or it is not yours.').waitFor()
  expect(await looksWrong(page)).toEqual([])
  await page.route('**/api/sessions/*/events*', (route) => route.fulfill({ status: 403, json: { detail: 'no' } }))
  const seen = await released()
  await page.goto(`${world.url}/s/${seen.session_id}/runs/${seen.run_id}`)
  await page.getByText('Only the owner of this server can see this.').waitFor()
  await page.unrouteAll()
  await page.route('**/api/sessions/*/events*', (route) => route.fulfill({ status: 500, json: { detail: 'broken' } }))
  await page.reload()
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Try again' }).click()
  await row(page, 'Message accepted').waitFor()
})

test('[G5.3] what was pruned is said, and what remains is drawn', async () => {
  const { session_id, run_id } = await released()
  await using opened = await world.open('/')
  const { page } = opened
  await page.route('**/api/sessions/*/events*', async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as RecordedEvents
    const items = body.items.filter(({ data }) => !JSON.stringify(data).includes('"text_delta"'))
    await route.fulfill({ response, json: { ...body, items, floor: body.head } })
  })
  await page.goto(`${world.url}/s/${session_id}/runs/${run_id}`)
  await page.getByText(/Text up to event .* was pruned; finished messages remain\./).waitFor()
  await page.locator('.run-thread .ck-md', { hasText: 'is written down' }).waitFor()
  expect(await looksWrong(page)).toEqual([])
})

test.each(['light-en', 'dark-zh'] as const)(
  '[G5.3] [D3] on PostgreSQL an instance dies: the page shows until when it lived, that nobody had the run, and who took over (%s)',
  { timeout: 400_000 },
  async (look) => {
    const text =
      'The migration adds one column that may be empty. No table is rewritten, and nobody has to wait for it. '
    await using arena = await openArena('postgres', () => ({ text: text.repeat(3), chunkDelayMs: 40 }))
    const [alive, doomed] = [await freePort(), await freePort()]
    const survivor = await arena.start({ port: alive })
    const victim = await arena.start({ port: doomed, kill: 'after:C3', nth: 30 })
    const url = `http://127.0.0.1:${alive}`
    const session_id = await arena.newSession(`http://127.0.0.1:${doomed}`)
    using witness = watch(() => url, session_id)
    using sender = watch(() => `http://127.0.0.1:${doomed}`, session_id)
    void sender.send({ message: 'Release 2.4 to staging', client_message_id: 'm1' }).catch(() => undefined)
    expect(await victim.exited).toBe('SIGKILL')
    sender[Symbol.dispose]()
    await witness.until(({ status }) => status === 'completed', 90_000)
    const headers = { authorization: `Bearer ${KEY}` }
    const runs = (await (await fetch(`${url}/api/sessions/${session_id}/runs`, { headers })).json()) as RunPage
    await using opened = await visit(world.browser, {
      url,
      key: KEY,
      path: `/s/${session_id}/runs/${runs.items[0]!.run_id}`,
      look,
    })
    const { page, problems } = opened
    const [dead, taker] = [victim, survivor].map(({ pid }) => `${hostname()}:${pid}`)
    const isEnglish = look.endsWith('en')
    await row(page, isEnglish ? `${taker} took over` : `${taker} 接管`)
      .first()
      .waitFor()
    await row(page, isEnglish ? `${dead} gave no sign of life after this` : `此后 ${dead} 失去联系`)
      .first()
      .waitFor()
    await row(page, isEnglish ? 'Half answer closed: server_stopped' : '半截回答已关闭：server_stopped')
      .first()
      .waitFor()
    for (const mark of ['crash', 'take_over'])
      expect(await page.locator(`[data-mark=${mark}]`).count(), mark).toBeGreaterThan(0)
    expect(await page.locator('[role=gridcell][data-kind=nobody]').count()).toBeGreaterThan(0)
    await page.getByText(isEnglish ? /^taken over × \d+$/ : /^接管 × \d+$/).waitFor()
    expect(await looksWrong(page)).toEqual([])
    // From the start to the mark: what people saw when it died.
    await page.keyboard.press('Home')
    await page.keyboard.press('Alt+ArrowRight')
    await page.locator('.run-thread .ck-md', { hasText: 'The migration adds' }).waitFor()
    await shoot(page, `run-crash-${look}`)
    await page.keyboard.press('End')
    await page.keyboard.press('2')
    await page.getByText(isEnglish ? /^Left out: \d+ half answer/ : /^未给模型：\d+ 条半截回答/).waitFor()
    expect(await looksWrong(page)).toEqual([])
    expect(problems).toEqual([])

    // In the conversation a thin line says so, and leads to that moment.
    const other: Look = isEnglish ? 'dark-en' : 'light-zh'
    await using second = await visit(world.browser, { url, key: KEY, path: `/s/${session_id}`, look: other })
    const line = second.page.getByRole('link', { name: isEnglish ? `${taker} took over here,` : `${taker} 在此接管，` })
    await line.first().waitFor()
    expect(await looksWrong(second.page)).toEqual([])
    await shoot(second.page, `take-over-${other}`)
    await page.goto(`${url}/s/${session_id}`)
    await page.locator('.take-over').first().waitFor()
    expect(await looksWrong(page)).toEqual([])
    await shoot(page, `take-over-${look}`)
    await line.first().click()
    await second.page.waitForURL(/\/runs\/[^?]+\?at=\d+/)
    await row(second.page, isEnglish ? `${taker} took over` : `${taker} 接管`)
      .and(second.page.locator(':has([aria-current=step])'))
      .waitFor()
    expect([...problems, ...second.problems]).toEqual([])
  },
)
