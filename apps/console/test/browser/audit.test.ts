/** Who did what, in a real browser against a real server; a long past is written beside it. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Console, looksWrong, openConsole, shoot } from './open-console.ts'

const OLD = 10_000
const LOOKS_AND_SIZES = [
  ['light-en', 1440, 900],
  ['dark-zh', 1440, 900],
  ['dark-en', 390, 844],
  ['light-zh', 390, 844],
] as const

let world: Console
let folder: string
let session_id: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-'))
  world = await openConsole({
    options: { dataDir: folder },
  })
  const { id } = await world.api<{ id: string }>('GET', '/api/auth/me')
  {
    using database = new DatabaseSync(join(folder, 'parley.sqlite'), { timeout: 10_000 })
    const insert = database.prepare('INSERT INTO audit (at, actor, action, subject, detail) VALUES (?, ?, ?, ?, ?)')
    database.exec('BEGIN')
    for (let n = 0; n < OLD; n++)
      insert.run(1_700_000_000_000 + n * 60_000, id, 'api_key.rename', `key_${n}`, `old ${n}`)
    database.exec('COMMIT')
  }
  await world.api('POST', '/api/user/api-keys', { name: '=cmd, "shop"' })
  session_id = await world.ask('{"name":"Glob","arguments":{"pattern":"*"}}')
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const rows = (page: Page, action: string) => page.locator(`[data-action="${action}"]`)

describe('[G5.10] audit', () => {
  test('the newest is on top, said in words, and leads to where it happened', async () => {
    await using opened = await world.open('/settings/audit')
    const { page, problems } = opened
    await rows(page, 'tool.run').getByText('ran a tool').waitFor()
    expect(await rows(page, 'api_key.create').first().getByRole('link').getAttribute('href')).toBe('/settings/keys')
    await rows(page, 'tool.run').getByRole('link', { name: 'Glob' }).click()
    await page.waitForURL(new RegExp(`/s/${session_id}$`))
    expect(problems).toEqual([])
  })

  test('of ten thousand only what is in sight is drawn, and further pages come when they are scrolled to', async () => {
    await using opened = await world.open('/settings/audit?action=api_key.rename')
    const { page } = opened
    await page.getByText(`old ${OLD - 1}`, { exact: true }).waitFor()
    expect(await page.getByRole('row').count()).toBeLessThan(100)
    await expect
      .poll(async () => {
        await page.locator('main .overflow-y-auto').evaluate((area) => area.scrollTo(0, area.scrollHeight))
        return lowest(page)
      })
      .toBeLessThan(OLD - 300)
    expect(await page.getByRole('row').count()).toBeLessThan(100)
  })

  test('filters are in the address, and a CSV holds what they let through', async () => {
    await using opened = await world.open('/settings/audit')
    const { page } = opened
    await rows(page, 'tool.run').waitFor()
    await page.getByLabel('Did what').selectOption('Consent')
    await page.waitForURL(/action=confirmation\./)
    await page.getByText('Nothing on record matches these filters.').waitFor()
    expect(await looksWrong(page)).toEqual([])
    await shoot(page, 'audit-none')
    await page.getByRole('link', { name: 'Show all' }).click()
    await page.getByLabel('Who').selectOption('The server')
    await page.waitForURL(/actor=system/)
    await rows(page, 'tool.run').waitFor({ state: 'detached' })
    await page.getByLabel('Who').selectOption('Anyone')
    await page.getByLabel('To', { exact: true }).fill('2023-11-15')
    await page.waitForURL(/to=2023-11-15/)
    await rows(page, 'api_key.rename').first().waitFor()
    await page.getByLabel('To', { exact: true }).fill('')
    await page.keyboard.press('Escape')
    await page.goto(`${world.url}/settings/audit?action=api_key.create`)
    await rows(page, 'api_key.create').first().waitFor()
    expect(await page.getByLabel('Did what').inputValue()).toBe('api_key.create')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ])
    const lines = (await readFile(await download.path(), 'utf8')).split('\r\n')
    expect(lines[0]).toBe('\uFEFFat,actor,actor_name,action,subject,detail,session_id,run_id')
    // No spreadsheet computes what somebody has called a key.
    expect(lines[1]).toMatch(/api_key\.create,[^,]+,"'=cmd, ""shop""",,$/)
  })

  test('others are told that it is the owner’s, and find no way to it', async () => {
    const { url } = await world.api<{ url: string }>('POST', '/api/users', { username: 'mallory' })
    await using opened = await world.open('/settings/audit', { link: url })
    const { page } = opened
    await page.getByText('Only the owner of this server can see this.').waitFor()
    expect(await page.getByRole('link', { name: 'Audit' }).count()).toBe(0)
    expect(await looksWrong(page)).toEqual([])
    await shoot(page, 'audit-forbidden')
  })

  test('a server that does not answer is said, and asked again', async () => {
    await using opened = await world.open('/settings/appearance')
    const { page } = opened
    await page.route('**/api/audit*', (route) => route.abort())
    await page.goto(`${world.url}/settings/audit`)
    await page.getByText('The server did not answer.').waitFor()
    await page.unroute('**/api/audit*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await rows(page, 'tool.run').waitFor()
  })

  test.each(LOOKS_AND_SIZES)('looks right in %s at %i × %i', async (look, width, height) => {
    await using opened = await world.open('/settings/audit', { look, width, height })
    const { page, problems } = opened
    await rows(page, 'tool.run').waitFor()
    expect(await looksWrong(page)).toEqual([])
    await shoot(page, `audit-${look}-${width}`)
    if (width < 1_000) {
      await page.getByRole('button', { name: /^(Filters|筛选)/ }).click()
      expect(await looksWrong(page)).toEqual([])
      await shoot(page, `audit-${look}-${width}-filters`)
    }
    expect(problems).toEqual([])
  })
})

/** The number of the oldest row that is drawn. */
async function lowest(page: Page): Promise<number> {
  const texts = await rows(page, 'api_key.rename').allInnerTexts()
  return Math.min(OLD, ...texts.map((text) => Number(/old (\d+)/.exec(text)?.[1] ?? OLD)))
}
