import type { ScheduledTask, ScheduledTaskRun } from '@parley/protocol/rest'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Console, looksWrong, openConsole, shoot } from './open-console.ts'

let world: Console
beforeAll(async () => {
  world = await openConsole()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const ALL = '/api/scheduled-tasks'
const tasks = () => world.api<ScheduledTask[]>('GET', ALL)
const named = async (title: string) => (await tasks()).find((task) => task.title === title)
const make = (title: string, more: object = {}) =>
  world.api<ScheduledTask>('POST', ALL, {
    title,
    prompt: 'list',
    cron: '0 2 * * *',
    timezone: 'Asia/Shanghai',
    ...more,
  })
const row = (page: Page, title: string) => page.getByRole('list', { name: 'Your schedules' }).getByText(title)
/** Says this in a while: it asks several times before it gives up. */
const later = (page: Page, text: string) =>
  expect
    .poll(async () => {
      await page.clock.runFor(5_000)
      return page.getByText(text).count()
    })
    .toBeGreaterThan(0)

describe('[W11.6] schedules', () => {
  test('before the first one there are examples that fill the form', async () => {
    await using opened = await world.open('/schedules')
    const { page, problems } = opened
    await page.getByRole('heading', { name: 'Let an agent work while you are away' }).waitFor()
    await shoot(page, 'schedules-empty')
    expect(await looksWrong(page)).toEqual([])
    await page.getByRole('link', { name: /Morning report/ }).click()
    const title = page.getByLabel('Title')
    expect(await title.inputValue()).toBe('Morning report')
    await page.getByText('Every weekday at 08:00').waitFor()
    await title.fill('Report')
    await page.getByLabel('Repeat').selectOption('Every week')
    await page.getByLabel('Day of the week').selectOption('Friday')
    await page.getByLabel('Time', { exact: true }).fill('16:30')
    await page.getByLabel('Time zone').fill('Europe/Berlin')
    await page.getByText('Every Friday at 16:30').waitFor()
    await expect.poll(() => page.getByText(/^Fri \d+ \w+, 16:30$/).count()).toBe(5)
    await page.keyboard.press('Control+Enter')
    await page.getByRole('heading', { name: 'Report' }).waitFor()
    expect(await named('Report')).toMatchObject({ cron: '30 16 * * 5', timezone: 'Europe/Berlin', enabled: true })
    expect(problems).toEqual([])
  })

  test('an expression that cannot be meant is refused beside its field', async () => {
    await using opened = await world.open('/schedules/new')
    const { page } = opened
    await page.getByLabel('Title').fill('Odd')
    await page.getByLabel('Prompt').fill('list')
    await page.getByRole('button', { name: 'Cron' }).click()
    const cron = page.getByLabel('Cron expression')
    expect(await cron.inputValue()).toBe('0 9 * * *')
    await cron.fill('0 9 30 2 *')
    await page.getByRole('button', { name: /Create/ }).click()
    await page.getByText('That time never comes.').waitFor()
    expect(await cron.getAttribute('aria-invalid')).toBe('true')
    await expect.poll(() => cron.evaluate((box) => box === document.activeElement)).toBe(true)
    expect(await looksWrong(page)).toEqual([])
    await cron.fill('0 9 * * 1#1')
    await page.getByText('At 09:00, on the first Monday of the month').waitFor()
    // Escape leaves, and asks since something was typed.
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Go on writing' }).press('Enter')
    await page.getByRole('button', { name: /Create/ }).click()
    await page.getByRole('heading', { name: 'Odd' }).waitFor()
    expect(await named('Odd')).toMatchObject({ cron: '0 9 * * 1#1' })
  })

  test('it is switched, run and changed; its runs lead to their sessions', async () => {
    const { id } = await make('Nightly')
    await using opened = await world.open(`/schedules/${id}`)
    const { page, problems } = opened
    await page.getByText('It has not run yet.').waitFor()
    await page.getByRole('switch', { name: 'On' }).click()
    await page.getByText('Switched off: it is not due.').waitFor()
    await expect.poll(async () => (await named('Nightly'))?.enabled).toBe(false)
    await page.keyboard.press('t')
    await expect.poll(async () => (await named('Nightly'))?.enabled).toBe(true)
    await page.keyboard.press('Shift+R')
    await page.locator('tr[data-fate=ran]').getByText('by hand').waitFor()
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('Prompt').fill('list the files')
    await page.getByRole('switch', { name: 'Run without asking anybody' }).click()
    await page.getByText('Nobody is asked: what would need').waitFor()
    await page.getByRole('button', { name: /Save/ }).click()
    await page.getByText('Nobody is asked: what needs consent runs at once.').waitFor()
    expect(await named('Nightly')).toMatchObject({ prompt: 'list the files', skip_confirmations: true })
    await page.locator('tr[data-fate=ran]').getByRole('link', { name: 'Open session' }).click()
    await page.waitForURL(/\/s\/sess_/)
    await page.getByText('You said').waitFor()
    expect(problems).toEqual([])
  })

  test('a run that did not end well says why', async () => {
    const { id } = await make('Cut short', { prompt: 'slow' })
    const { session_id } = await world.api<ScheduledTaskRun>('POST', `${ALL}/${id}/run`)
    await using opened = await world.open(`/schedules/${id}`)
    const { page } = opened
    await page.locator('tr[data-fate=running]').waitFor()
    await page.getByRole('button', { name: 'Run now' }).click()
    await page.getByText('The previous run of this task is still active.').waitFor()
    await world.api('DELETE', `/api/sessions/${session_id}`)
    await page.locator('tr[data-fate=failed]').getByText('Its session was deleted').waitFor()
    await world.api('DELETE', `${ALL}/${id}`)
  })

  test('what is deleted comes back when it is taken back, and is gone when it is not', async () => {
    const { id } = await make('Short-lived')
    await using opened = await world.open(`/schedules/${id}`)
    const { page } = opened
    await page.getByRole('heading', { name: 'Short-lived' }).waitFor()
    await page.keyboard.press('Delete')
    await row(page, 'Short-lived').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await row(page, 'Short-lived').click()
    await page.clock.install()
    await page.keyboard.press('Delete')
    await row(page, 'Short-lived').waitFor({ state: 'detached' })
    expect(await named('Short-lived')).toBeDefined()
    await page.clock.runFor(9_000)
    await expect.poll(() => named('Short-lived')).toBeUndefined()
  })

  test('the calendar shows when all of them are due, by the reader’s clock', async () => {
    await make('Hourly', { cron: '0 * * * *' })
    await using opened = await world.open('/schedules?view=calendar')
    const { page } = opened
    await page.getByRole('button', { name: 'Next month' }).click()
    await page.waitForURL(/month=\d{4}-\d{2}/)
    await page
      .getByRole('link', { name: /24× Hourly/ })
      .first()
      .click()
    await page.getByRole('heading', { name: 'Hourly' }).waitFor()
    await page.goto(`${world.url}/schedules/task_none`)
    await page.getByText('This schedule was deleted, or it is not yours.').waitFor()
  })

  test('a server that stops answering leaves what was read, and takes no changes', async () => {
    await using opened = await world.open('/schedules')
    const { page } = opened
    await row(page, 'Hourly').click()
    await page.getByRole('heading', { name: 'Hourly' }).waitFor()
    await page.route(`**${ALL}**`, (route) => route.abort())
    await page.clock.install()
    await later(page, 'nothing can be changed now')
    expect(await page.getByRole('button', { name: 'Run now' }).isDisabled()).toBe(true)
    await shoot(page, 'schedules-offline')
    await page.unroute(`**${ALL}**`)
    await expect
      .poll(async () => {
        await page.clock.runFor(5_000)
        return page.getByText('nothing can be changed now').count()
      })
      .toBe(0)
  })

  test.each([
    ['light-en', 1440, 900],
    ['dark-zh', 390, 844],
  ] as const)('axe finds nothing on any of its pages, in both themes, %s, %d px', async (look, width, height) => {
    const { id } = (await named('Nightly')) ?? (await make('Nightly'))
    await world.api('POST', `${ALL}/${id}/run`)
    await using opened = await world.open('/schedules', { look, width, height })
    const { page, problems } = opened
    for (const [name, path] of [
      ['list', '/schedules'],
      ['calendar', '/schedules?view=calendar'],
      ['detail', `/schedules/${id}`],
      ['form', '/schedules/new?example=watch'],
    ] as const) {
      await page.goto(world.url + path)
      await page.locator('[data-shown] h1, [data-shown] h2').first().waitFor()
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await shoot(page, `schedules-${name}-${colorScheme}-${look.slice(-2)}-${width}`)
        expect(await looksWrong(page), `${name}, ${colorScheme}`).toEqual([])
      }
    }
    expect(problems).toEqual([])
  })
})
