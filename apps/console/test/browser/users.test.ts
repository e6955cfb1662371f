/** The people of a server, in a real browser against a real server. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Console, LOOKS, looksWrong, openConsole, shoot } from './open-console.ts'

let world: Console
beforeAll(async () => {
  world = await openConsole()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const row = (page: Page, name: string) => page.locator(`[data-user="${name}"]`)

async function choose(page: Page, name: string, deed: RegExp): Promise<void> {
  await row(page, name).getByRole('button').click()
  await page.getByRole('menuitem', { name: deed }).click()
}

test.each(LOOKS)(
  '[G5.10] somebody is invited by a link that is shown once, made an owner, and removed (%s)',
  async (look) => {
    const name = `anna-${look}@example.com`
    await using opened = await world.open('/settings/users', { look })
    const { page } = opened
    await row(page, 'owner').waitFor()
    if (look === 'light-en') await page.getByText('Only you are here.').waitFor()
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: /^(Invite somebody|邀请)$/ }).click()
    await dialog.getByLabel(/Name or e-mail|名称或邮箱/).fill('not a name')
    await page.keyboard.press('Enter')
    await dialog.locator('[aria-invalid="true"]').waitFor()
    await dialog.getByLabel(/Name or e-mail|名称或邮箱/).fill(name)
    expect(await looksWrong(page)).toEqual([])
    await shoot(page, `users-invite-${look}`)
    await page.keyboard.press('Enter')
    const link = await dialog.getByLabel(/Sign-in link|登录链接/).inputValue()
    expect(await looksWrong(page)).toEqual([])
    await shoot(page, `users-link-${look}`)
    await dialog.getByRole('button', { name: /I have saved it|我已保存/ }).click()
    await dialog.waitFor({ state: 'detached' })
    // No key stays in the page after its dialog.
    expect(await page.content()).not.toContain(new URL(link).searchParams.get('code'))
    await row(page, name)
      .getByText(/Invited, not here yet|还没来过/)
      .last()
      .waitFor()
    expect(await looksWrong(page)).toEqual([])
    await shoot(page, `users-${look}`)

    // A member comes in by it, and sees nothing of this page.
    await using theirs = await world.open('/settings/users', { link, look })
    await theirs.page.getByText(/Only the owner of this server|只有服务器的所有者/).waitFor()
    expect(await looksWrong(theirs.page)).toEqual([])
    await choose(page, name, /Make an owner|设为所有者/)
    await row(page, name)
      .getByText(/^(Owner|所有者)$/)
      .waitFor()
    await theirs.page.reload()
    await row(theirs.page, name).waitFor()

    // The first owner stays: what is configured is theirs.
    await choose(theirs.page, 'owner', /Make a member|设为成员/)
    await theirs.page.locator('[aria-live="polite"]', { hasText: /first owner|首位所有者|第一/ }).waitFor()

    await choose(page, name, /Remove|移除/)
    await dialog.getByText(/sessions, files|会话、文件/).waitFor()
    expect(
      await dialog.getByRole('button', { name: /Cancel|取消/ }).evaluate((one) => one === document.activeElement),
    ).toBe(true)
    expect(await looksWrong(page)).toEqual([])
    await shoot(page, `users-remove-${look}`)
    await dialog.getByRole('button', { name: /Remove|移除/ }).click()
    await row(page, name).waitFor({ state: 'detached' })
  },
)

test('[G5.10] on a phone each person is two lines; a stopped server is said, and asked again', async () => {
  await world.api('POST', '/api/users', { username: 'a-rather-long-address-of-somebody@department.example.com' })
  await using opened = await world.open('/settings/users', { width: 390, height: 844 })
  const { page } = opened
  await row(page, 'owner').waitFor()
  expect(await looksWrong(page)).toEqual([])
  await shoot(page, 'users-phone')
  await page.route('**/api/users*', (route) => route.abort())
  await page.reload()
  await page.getByText('The server did not answer.').waitFor()
  await page.unroute('**/api/users*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await row(page, 'owner').waitFor()
})
