/** What runs have used, in a real browser against a real server; days that are gone are written beside it. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Console, echo, looksWrong, openConsole, shoot } from './open-console.ts'

const DAY = 86_400_000
const MODELS = ['fake-model', 'cheap-model', 'unpriced-model'] as const
const OUTCOMES = ['completed', 'completed', 'completed', 'completed', 'paused', 'interrupted', 'failed'] as const
const WIDE_LOOKS = [
  ['light-en', 1440, 900],
  ['dark-zh', 1440, 900],
  ['dark-en', 390, 844],
  ['light-zh', 390, 844],
] as const

const PRICES = {
  'fake-model': { input: 3, cached: 0.3, output: 15 },
  'cheap-model': { input: 0.5, output: 2 },
}

let world: Console
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usage-'))
  world = await openConsole({
    reply: (request) => ({ ...echo(request), usage: { input: 1_000, output: 200, cacheRead: 400 } }),
    options: { dataDir: folder, prices: PRICES },
  })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** So many runs a day, but none four days ago; half as many in the week before. */
async function fill(): Promise<void> {
  const { id } = await world.api<{ id: string }>('GET', '/api/auth/me')
  using database = new DatabaseSync(join(folder, 'parley.sqlite'), { timeout: 10_000 })
  const insert = database.prepare(
    `INSERT INTO run_usage (run_id, model, is_run, account_id, key_id, outcome, at, input_tokens, cached_tokens, output_tokens, first_token_ms, run_ms, waited_ms)
      VALUES (?, ?, 1, ?, NULL, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const noon = new Date().setHours(0, 30, 0, 0)
  database.exec('BEGIN')
  for (let day = 1; day < 30; day++) {
    if (day === 4) continue
    const runs = (day < 7 ? 40 : 20) + ((day * 7) % 13)
    for (let run = 0; run < runs; run++) {
      const outcome = OUTCOMES[(run + day) % OUTCOMES.length]!
      const first = 600 + ((run * 97 + day * 31) % 1_900)
      const at = noon - day * DAY + run * 60_000
      const tokens = [2_000 + run * 150, 900 + run * 60, 200 + run * 11]
      const waited = outcome === 'paused' ? 60_000 * (run + 1) : 0
      insert.run(`old-${day}-${run}`, MODELS[run % 3]!, id, outcome, at, ...tokens, first, first + 2_000, waited)
    }
  }
  database.exec('COMMIT')
}

const plot = (page: Page, name: string) => page.locator(`[data-plot="${name}"]`)

describe('[G5.8] usage', () => {
  test('before the first run it says that it fills by itself; the rail, g u and the palette lead there', async () => {
    await using opened = await world.open('/')
    const { page, problems } = opened
    await page.locator('[data-rail="usage"]').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('[data-rail="usage"]').focus()
    await page.keyboard.press('g')
    await page.keyboard.press('u')
    await page.waitForURL(/\/usage$/)
    await page.getByText('After the first run this fills by itself.').waitFor()
    expect(await looksWrong(page)).toEqual([])
    await shoot(page, 'usage-empty')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill('usage')
    await page.getByRole('option', { name: 'Go to Usage' }).waitFor()
    expect(problems).toEqual([])
  })

  test('a server without it has no such page on its rail, nor a key to it', async () => {
    await using opened = await world.open('/embed')
    const { page } = opened
    await page.route('**/api/version', async (route) => {
      const response = await route.fetch()
      const version = (await response.json()) as { capabilities: string[] }
      await route.fulfill({
        json: { ...version, capabilities: version.capabilities.filter((name) => name !== 'usage') },
      })
    })
    await page.reload()
    await page.locator('[data-rail="settings"]').waitFor()
    await page.locator('[data-rail="settings"]').focus()
    await page.keyboard.press('g')
    await page.keyboard.press('u')
    expect(await page.locator('[data-rail="usage"]').count()).toBe(0)
    expect(page.url()).toMatch(/\/embed$/)
  })

  test('a run that has ended is counted, by its model too; the address keeps range and groups', async () => {
    await world.ask('hello')
    await using opened = await world.open('/usage')
    const { page, problems } = opened
    await page.getByRole('heading', { name: 'Runs: 1 in 7 days' }).waitFor()
    await page.getByText('nothing in the 7 days before').first().waitFor()
    await page.getByRole('heading', { name: 'Cost: $0.0049 in 7 days, estimated' }).waitFor()
    await page.getByLabel('Group by').selectOption('model')
    await page.waitForURL(/by=model/)
    await page.getByRole('row', { name: /^fake-model 1 0 1k 400 200/ }).waitFor()
    await page.getByRole('button', { name: '30 days' }).click()
    await page.waitForURL(/from=\d{4}-\d\d-\d\d&to=\d{4}-\d\d-\d\d/)
    await page.getByRole('heading', { name: 'Runs: 1 in 30 days' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Runs: 1 in 7 days' }).waitFor()
    // A range of one's own: two days are shown by the hour.
    const today = await page.getByLabel('To', { exact: true }).inputValue()
    await page.getByLabel('From', { exact: true }).fill(today)
    await page.getByRole('heading', { name: 'Runs: 1 in 1 day' }).waitFor()
    expect(await plot(page, 'runs').getAttribute('aria-valuemax')).toMatch(/^2[345]$/)
    await page.goto(`${world.url}/usage?from=2020-01-01&to=2020-01-05`)
    await page.getByText('Nothing ran in this time.').waitFor()
    await page.getByRole('link', { name: 'Show the last 7 days' }).click()
    await page.getByRole('heading', { name: 'Runs: 1 in 7 days' }).waitFor()
    expect(problems).toEqual([])
  })

  test('where no model has a price the cost is not known, which is not nothing', async () => {
    await using opened = await world.open('/settings/appearance')
    const { page } = opened
    await page.route('**/api/usage*', async (route) => {
      const body = await (await route.fetch()).text()
      await route.fulfill({ contentType: 'application/json', body: body.replaceAll(/"cost":[\d.e-]+,/g, '') })
    })
    await page.goto(`${world.url}/usage`)
    await page.getByRole('heading', { name: 'Cost: not known' }).waitFor()
    expect(await looksWrong(page)).toEqual([])
    await shoot(page, 'usage-no-price')
    await page.getByRole('link', { name: 'How to set prices' }).click()
    await page.getByText('Set prices').click()
    await page.getByText("'fake-model': { input: 3, cached: 0.3, output: 15 }").waitFor()
    await page.getByText('$3.00 in, $0.30 cached, $15.00 out for a million tokens').waitFor()
    expect(await looksWrong(page)).toEqual([])
    await shoot(page, 'models-prices')
  })

  test('a run says what it cost', async () => {
    const session_id = await world.ask('what does it cost?')
    const { items } = await world.api<{ items: { run_id: string }[] }>('GET', `/api/sessions/${session_id}/runs`)
    await using opened = await world.open(`/s/${session_id}/runs/${items[0]!.run_id}`)
    const { page } = opened
    await page.getByText('$0.0049 estimated').waitFor()
    expect(await looksWrong(page)).toEqual([])
    await shoot(page, 'run-cost')
  })

  test('changes are told in words; arrows move one line through all plots, and its values are read out', async () => {
    await fill()
    await using opened = await world.open('/usage')
    const { page, problems } = opened
    await page
      .getByText(/^\d+ % more than in the 7 days before$/)
      .first()
      .waitFor()
    await plot(page, 'runs').focus()
    expect(await page.locator('[data-here]').count()).toBe(5)
    const status = page.getByRole('status').filter({ hasText: 'Completed' })
    await status.filter({ hasText: /Completed \d, Waited for a person 0/ }).waitFor({ state: 'attached' })
    for (let step = 0; step < 4; step++) await page.keyboard.press('ArrowLeft')
    // Nothing happened four days ago: that is a gap, not a zero.
    await status.filter({ hasText: 'Completed –, Waited for a person –' }).waitFor({ state: 'attached' })
    expect(await plot(page, 'tokens').getAttribute('aria-valuenow')).toBe('3')
    await page.keyboard.press('Home')
    await status.filter({ hasText: /Completed \d+, / }).waitFor({ state: 'attached' })
    // The line of times has two parts.
    expect((await plot(page, 'first-token').locator('path').first().getAttribute('d'))!.split('M').length).toBe(3)
    await page.getByRole('button', { name: /^Tokens: .*: table$/ }).click()
    const table = page.getByRole('group', { name: /^Tokens.*table$/ }).getByRole('table')
    expect(await table.getByRole('row').count()).toBe(8)
    expect(await table.getByRole('row').nth(5).innerText()).toMatch(/–\s*–\s*–/)
    expect(await looksWrong(page)).toEqual([])
    expect(problems).toEqual([])
  })

  test('plots and the whole are saved as CSV', async () => {
    await using opened = await world.open('/usage?by=model')
    const { page } = opened
    const saved = async (name: string | RegExp) => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()])
      return (await readFile(await download.path(), 'utf8')).split('\r\n').slice(0, -1)
    }
    await page.getByRole('row', { name: /^cheap-model/ }).waitFor()
    const runs = await saved(/^Runs: .* CSV$/)
    expect(runs[0]).toBe('\uFEFFTime,Completed,Waited for a person,Interrupted,Failed')
    expect(runs).toHaveLength(8)
    expect(runs[3]).toMatch(/^\d{4}-[^,]+,,,,$/)
    const all = await saved(/^CSV$/)
    expect(all[0]).toMatch(/^\uFEFFstart,model,name,runs,failed/)
    expect(all.length).toBeGreaterThan(3 * 5)
  })

  test('a server that stops answering leaves what was read; refused and broken are said', async () => {
    await using opened = await world.open('/usage')
    const { page } = opened
    // From its first timer on.
    await page.clock.install()
    await page.reload()
    await page.getByRole('heading', { name: /^Runs: \d+ in 7 days$/ }).waitFor()
    await page.route('**/api/usage*', (route) => route.abort())
    await expect
      .poll(async () => {
        await page.clock.runFor(70_000)
        return page.getByText('The server does not answer').count()
      })
      .toBe(1)
    await page.getByRole('heading', { name: /^Runs: \d+ in 7 days$/ }).waitFor()
    await page.unroute('**/api/usage*')
    for (const [status, text] of [
      [403, 'Only the owner of this server can see this.'],
      [500, 'The server could not answer this.'],
    ] as const) {
      await page.route('**/api/usage*', (route) => route.fulfill({ status, json: { detail: 'no' } }))
      await page.reload()
      await page.getByText(text).waitFor()
      expect(await looksWrong(page)).toEqual([])
      await page.unroute('**/api/usage*')
    }
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: /^Runs: \d+ in 7 days$/ }).waitFor()
  })

  test.each(WIDE_LOOKS)('looks right in %s at %i × %i', async (look, width, height) => {
    await using opened = await world.open('/usage?by=model', { look, width, height })
    const { page, problems } = opened
    await page.getByRole('heading', { level: 2 }).nth(5).waitFor()
    expect(await looksWrong(page)).toEqual([])
    if (width > 1_000) await plot(page, 'tokens').hover({ position: { x: 200, y: 40 } })
    await shoot(page, `usage-${look}-${width}`)
    const button = page.getByRole('button', { name: /(: table|：表格)$/ }).first()
    await button.click()
    expect(await looksWrong(page)).toEqual([])
    await shoot(page, `usage-${look}-${width}-other`)
    expect(problems).toEqual([])
  })
})
