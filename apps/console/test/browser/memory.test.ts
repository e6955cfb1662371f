import type { Memory, Page as Answer } from '@parley/protocol/rest'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Console, looksWrong, openConsole, shoot } from './open-console.ts'

let world: Console
beforeAll(async () => {
  world = await openConsole()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const ALL = '/api/memories'
const make = (content: string, more: object = {}) => world.api<Memory>('POST', ALL, { content, ...more })
const named = async (content: string) =>
  (await world.api<Answer<Memory>>('GET', `${ALL}?limit=100`)).items.find((memory) => memory.content === content)
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
const panel = (page: Page) => page.getByRole('region', { name: /^(?:Memory|New memory)$/ })
/** Says this in a while: it asks several times before it gives up. */
const later = (page: Page, text: string) =>
  expect
    .poll(async () => {
      await page.clock.runFor(5_000)
      return page.getByText(text).count()
    })
    .toBeGreaterThan(0)

describe('[W11.4] memories', () => {
  test('before the first one it is told how they arise, and one can be written', async () => {
    await using opened = await world.open('/memory')
    const { page, problems } = opened
    await page.getByText('Nothing is remembered yet.').waitFor()
    await shoot(page, 'memory-empty')
    expect(await looksWrong(page)).toEqual([])
    await page.keyboard.press('n')
    await panel(page).getByLabel('What is remembered').fill('Prefer staging before production')
    await panel(page).getByText('32 of 500').waitFor()
    await panel(page).getByLabel('Topic').fill('deploy')
    await page.keyboard.press('Control+Enter')
    await page.waitForURL(/\/memory\/\d+$/)
    await row(page, 'Prefer staging').getByText('feedback').waitFor()
    expect(await named('Prefer staging before production')).toMatchObject({ topic: 'deploy', type: 'feedback' })
    expect(problems).toEqual([])
  })

  test('one is changed in place; what another says already and what is a secret are refused beside the text', async () => {
    const { id } = await make('Use tabs in YAML')
    const known = await make('Answers are short')
    await using opened = await world.open(`/memory/${id}`)
    const { page } = opened
    const text = panel(page).getByLabel('What is remembered')
    await text.fill('Answers are short')
    await page.keyboard.press('Control+Enter')
    await panel(page).getByText('Another memory says that already.').waitFor()
    await text.fill('The key is sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH')
    await panel(page).getByRole('button', { name: 'Save' }).click()
    await panel(page).getByText('Secrets are not kept as memories.').waitFor()
    expect(await text.getAttribute('aria-invalid')).toBe('true')
    expect(await looksWrong(page)).toEqual([])
    await text.fill('Use two spaces in YAML')
    await panel(page).getByRole('button', { name: 'Save' }).click()
    await row(page, 'Use two spaces in YAML').waitFor()
    expect(await named('Use two spaces in YAML')).toMatchObject({ id })
    // Escape leaves, and asks when something was typed.
    await text.fill('Use three spaces in YAML')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Leave' }).click()
    await panel(page).waitFor({ state: 'detached' })
    expect(await named('Use three spaces in YAML')).toBeUndefined()
    expect(known.id).not.toBe(id)
  })

  test('what replaced what is a line of memories', async () => {
    await make('My name is Ada')
    const { id } = await make('My name is Grace')
    await using opened = await world.open(`/memory/${id}`)
    const { page } = opened
    const line = page.getByRole('list', { name: 'History' })
    await line.getByRole('link', { name: 'My name is Ada' }).click()
    await line.getByRole('link', { name: 'My name is Grace' }).waitFor()
    await row(page, 'My name is Ada').getByText('replaced by “My name is Grace”').waitFor()
  })

  test('filters are in the address', async () => {
    await using opened = await world.open('/memory?topic=deploy')
    const { page } = opened
    await row(page, 'Prefer staging').waitFor()
    expect(await page.getByRole('row').count()).toBe(2)
    await page.getByLabel('Kind', { exact: true }).selectOption('experience')
    await page.waitForURL(/kind=experience/)
    await page.getByText('No memory matches these filters.').waitFor()
    await page.getByRole('link', { name: 'Show all' }).click()
    await row(page, 'Answers are short').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('answers')
    await page.waitForURL(/q=answers/)
    await row(page, 'Prefer staging').waitFor({ state: 'detached' })
    await row(page, 'Answers are short').waitFor()
  })

  test('several are disabled and deleted at once, and taken back', async () => {
    for (const number of ['one', 'two', 'three']) await make(`Number ${number} is kept`)
    await using opened = await world.open('/memory?q=number')
    const { page, problems } = opened
    await row(page, 'Number three').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.getByRole('toolbar', { name: '2 selected' }).waitFor()
    await shoot(page, 'memory-selected')
    expect(await looksWrong(page)).toEqual([])
    await page.getByRole('button', { name: 'Disable' }).click()
    await expect.poll(async () => (await named('Number two is kept'))?.disabled).toBe(true)
    expect((await named('Number one is kept'))?.disabled).toBe(false)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(async () => (await named('Number two is kept'))?.disabled).toBe(false)
    await page.getByLabel('Select all that are shown').check()
    await page.getByRole('button', { name: 'Delete' }).click()
    await row(page, 'Number').first().waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await row(page, 'Number one').getByRole('link').focus()
    await page.clock.install()
    await page.keyboard.press('Delete')
    await row(page, 'Number one').waitFor({ state: 'detached' })
    expect(await named('Number one is kept')).toBeDefined()
    await page.clock.runFor(9_000)
    await expect.poll(() => named('Number one is kept')).toBeUndefined()
    expect(await named('Number two is kept')).toBeDefined()
    expect(problems).toEqual([])
  })

  test('a server that stops answering leaves what was read, and takes no changes', async () => {
    await using opened = await world.open('/memory')
    const { page } = opened
    await row(page, 'Answers are short').getByRole('link').click()
    await panel(page).getByRole('button', { name: 'Disable' }).waitFor()
    await page.route(`**${ALL}**`, (route) => route.abort())
    await page.clock.install()
    await later(page, 'nothing can be changed now')
    expect(await panel(page).getByRole('button', { name: 'Disable' }).isDisabled()).toBe(true)
    await page.goto(`${world.url}/memory/99999`)
    await later(page, 'The server did not answer.')
    await page.unroute(`**${ALL}**`)
    await page.goto(`${world.url}/memory/99999`)
    await page.getByText('This was deleted, or it is not yours.').waitFor()
  })

  test.each([
    ['light-en', 1440, 900],
    ['dark-zh', 390, 844],
  ] as const)('axe finds nothing in both themes, %s, %d px', async (look, width, height) => {
    await using opened = await world.open('/memory', { look, width, height })
    const { page, problems } = opened
    const lookAt = async (name: string) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await shoot(page, `${name}-${colorScheme}-${look.slice(-2)}-${width}`)
        expect(await looksWrong(page), `${name}, ${colorScheme}`).toEqual([])
      }
    }
    await page.getByText('Answers are short').waitFor()
    await lookAt('memory')
    await page.getByRole('link', { name: 'My name is Grace' }).first().click()
    await page.getByRole('list', { name: look === 'dark-zh' ? '历史' : 'History' }).waitFor()
    await lookAt('memory-one')
    expect(problems).toEqual([])
  })
})
