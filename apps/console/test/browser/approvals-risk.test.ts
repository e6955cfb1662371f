/** Calls of high risk, calls that run out of time, and two instances, each with a browser. */
import { expect, test } from 'vitest'
import { postgresPlace } from '../../../../packages/server/test/store/place.ts'
import { command, openApprovals, POLICY, statusOf, takesKeys } from './open-approvals.ts'
import { looksWrong, shoot } from './open-console.ts'

test('[G5.2] high risk: a goes to the button, Enter decides, and only once the end was on screen', async () => {
  await using world = await openApprovals({ sandbox: 'none' })
  const short = await world.wish(command('Short', 'echo short'))
  const flags = Array.from({ length: 250 }, (_, at) => `--option-number-${at}=value`).join(' ')
  const long = await world.wish(command('Long', `echo ${flags} --the-very-end`))
  await using opened = await world.open(`/approvals/${short.id}`)
  const { page } = opened
  const approve = page.locator('footer').getByRole('button', { name: /^Approve/ })
  await approve.waitFor()
  await page.getByText('High risk', { exact: true }).waitFor()
  await takesKeys(page)
  await page.keyboard.press('a')
  await expect.poll(() => approve.evaluate((element) => element === document.activeElement)).toBe(true)
  expect(await statusOf(world, short.id)).toBe('pending')
  await page.keyboard.press('Enter')
  await expect.poll(() => statusOf(world, short.id)).toBe('approved')

  await using phone = await world.open(`/approvals/${long.id}`, { width: 390, height: 844 })
  const button = phone.page.locator('footer').getByRole('button', { name: /^Approve/ })
  await button.waitFor()
  expect(await button.getAttribute('aria-disabled')).toBe('true')
  await button.click({ force: true })
  expect(await statusOf(world, long.id)).toBe('pending')
  // All of it is there, whole words a line.
  const shown = await phone.page.locator('main code').first().innerText()
  expect(shown.replaceAll(/\s+/g, ' ')).toContain(`${flags} --the-very-end`)
  expect(await looksWrong(phone.page)).toEqual([])
  await shoot(phone.page, 'approvals-long-phone')
  await phone.page.getByText('--the-very-end').first().scrollIntoViewIfNeeded()
  await phone.page.getByText('Why the agent wants this').scrollIntoViewIfNeeded()
  await expect.poll(() => button.getAttribute('aria-disabled')).toBe('false')
  await button.click()
  await expect.poll(() => statusOf(world, long.id)).toBe('approved')
})

test('[G5.2] what nobody decides says so, and counts its last seconds', async () => {
  await using world = await openApprovals({ policy: { ...POLICY, confirmationMinutes: 0.2 } })
  const { id } = await world.wish(command('Late', 'echo late'))
  await using opened = await world.open(`/approvals/${id}`)
  const { page } = opened
  await page.locator(`a[data-item="${id}"]`).getByText(/\d+ s/).waitFor()
  await page.getByText('Nobody decided. It did not run.').waitFor()
  expect(
    await page
      .locator('footer')
      .getByRole('button', { name: /^Approve/ })
      .count(),
  ).toBe(0)
  await expect.poll(() => statusOf(world, id)).toBe('expired')
})

test('[G5.2] two browsers on two instances decide at once: one counts, both say the truth', async () => {
  await using place = await postgresPlace()
  await using one = await openApprovals({ databaseUrl: place.at })
  await using two = await openApprovals({ databaseUrl: place.at })
  await using left = await one.open('/approvals')
  await using right = await two.open('/approvals')
  for (const { page } of [left, right]) await page.locator('main').getByText('Nothing waits for you.').waitFor()
  // The hint crosses the instances: nobody reloads.
  const { id } = await one.wish(command('From one', 'echo from one'))
  for (const { page } of [left, right]) {
    await page.locator(`a[data-item="${id}"]`).waitFor()
    await page
      .locator('footer')
      .getByRole('button', { name: /^Approve/ })
      .waitFor()
    await takesKeys(page)
  }
  await Promise.all([left.page.keyboard.press('a'), right.page.locator('body').press('r')])
  const field = right.page.getByLabel(/Why, if you like/)
  if (await field.isVisible()) await field.press('Enter').catch(() => undefined)
  await expect.poll(() => statusOf(one, id)).toBe('approved')
  for (const [world, { page }] of [[one, left] as const, [two, right] as const]) {
    await page
      .locator(`a[data-item="${id}"]`)
      .getByText(/^You approved/)
      .waitFor()
    await page.goto(`${world.url}/approvals/${id}`)
    await page.getByText(/^You approved this at/).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  }
})
