/** Documents that answers come from, in a real browser against a real server. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Console, LOOKS, looksWrong, openConsole, shoot } from './open-console.ts'

let world: Console
beforeAll(async () => {
  world = await openConsole()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
const row = (page: Page, name: string) => page.locator(`[data-document="${name}"]`)
const waiting = (page: Page, name: string) => page.locator(`[data-import="${name}"]`)

async function add(page: Page, ...files: ReturnType<typeof file>[]): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: /Add files|添加文件/ }).click()
  await (await chooser).setFiles(files)
}

test.each(LOOKS)(
  '[G5.6] a collection is made and filled; what fails says why and is tried again (%s)',
  async (look) => {
    const name = `Handbook ${look}`
    await using opened = await world.open('/knowledge', { look })
    const { page, problems } = opened
    if (look === 'light-en') await page.getByText('Drop files here.').waitFor()
    await page
      .getByRole('button', { name: /New collection|新建文档集/ })
      .first()
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill('no/slash')
    await page.keyboard.press('Enter')
    await dialog.locator('[aria-invalid="true"]').waitFor()
    await dialog.getByRole('textbox').fill(name)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/knowledge\/Handbook/)

    await add(
      page,
      file('refunds.md', '# Refunds\n\nRefunds for broken teapots take seven days.\n\n退款需要七天。'),
      file('shipping.txt', 'Parcels with porcelain leave on Tuesdays.'),
      { name: 'scan.pdf', mimeType: 'application/pdf', buffer: Buffer.from('no pdf at all') },
    )
    await row(page, 'refunds.md').waitFor()
    await row(page, 'shipping.txt').waitFor()
    await page.locator('[data-import="scan.pdf"][data-state="failed"]').waitFor()
    expect(await waiting(page, 'scan.pdf').getByRole('alert').innerText()).toMatch(/(Failed|失败).+/)
    await page
      .locator('[data-area="list"]')
      .getByText(/1 failed|1 个失败/)
      .waitFor()
    expect(await looksWrong(page)).toEqual([])
    await shoot(page, `knowledge-${look}`)
    await waiting(page, 'scan.pdf')
      .getByRole('button', { name: /Try again|再试一次/ })
      .click()
    await page.locator('[data-import="scan.pdf"][data-state="failed"]').waitFor()
    await waiting(page, 'scan.pdf')
      .getByRole('button', { name: /Dismiss|不再显示/ })
      .click()
    await waiting(page, 'scan.pdf').waitFor({ state: 'detached' })

    await page.getByRole('tab', { name: /Search as the agent|像智能体一样检索/ }).click()
    await page.getByRole('searchbox').fill('refunds broken teapots porcelain')
    await page.keyboard.press('Enter')
    const found = page.locator('[data-result="refunds.md"]')
    await found.locator('mark', { hasText: 'Refunds' }).first().waitFor()
    await page.getByText(/what the model would get, [\d,]+ tokens|共 \d+ 个 token/).waitFor()
    await page.getByRole('switch').check()
    await page.locator('[data-result="shipping.txt"]').waitFor()
    expect(await looksWrong(page)).toEqual([])
    await shoot(page, `knowledge-search-${look}`)
    // The address is all it takes.
    await page.reload()
    await page.locator('[data-result="shipping.txt"]').waitFor()
    expect(problems.filter((each) => !each.includes('422'))).toEqual([])
  },
)

test('[G5.6] a document is gone at once and can be had back; a collection goes once it is empty', async () => {
  await world.api('PUT', '/api/knowledge/collections/Short%20lived', {})
  await world.api('POST', '/api/knowledge', {
    category: 'c',
    title: 'Only one',
    content: 'Only this.',
    collection: 'Short lived',
  })
  await using opened = await world.open('/knowledge/Short%20lived')
  const { page } = opened
  await row(page, 'Only one').waitFor()
  const menu = page.getByRole('button', { name: 'More for “Short lived”' })
  const remove = page.getByRole('menuitem', { name: 'Delete the collection' })
  await menu.click()
  await remove.click()
  await page.getByRole('dialog').getByText('It has one document.').waitFor()
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Delete Only one' }).click()
  await row(page, 'Only one').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await row(page, 'Only one').waitFor()
  await page.getByRole('button', { name: 'Delete Only one' }).click()
  await page.getByText('Drop files here.').waitFor()
  // Whoever leaves has made up their mind.
  await page.goto(`${world.url}/knowledge/Short%20lived`)
  await page.getByText('Drop files here.').waitFor()
  await menu.click()
  await remove.click()
  await page.waitForURL(`${world.url}/knowledge`)
  await page.goto(`${world.url}/knowledge/Short%20lived`)
  await page.getByText('There is no such collection.').waitFor()
})

test('[G5.6] files are dropped anywhere on the sheet; one under way can be stopped; a stopped server is said', async () => {
  await using opened = await world.open('/knowledge')
  const { page } = opened
  const dropped = await page.evaluateHandle(() => {
    const transfer = new DataTransfer()
    transfer.items.add(new File(['Dropped words.'], 'dropped.txt', { type: 'text/plain' }))
    return transfer
  })
  const sheet = page.getByRole('tablist')
  await sheet.dispatchEvent('dragover', { dataTransfer: dropped })
  await page.getByText('Add these files to “Default”').waitFor()
  await sheet.dispatchEvent('drop', { dataTransfer: dropped })
  await row(page, 'dropped.txt').waitFor()

  // Held on its way, it is stopped by hand.
  await page.route('**/api/knowledge/files*', () => undefined)
  await add(page, file('held.txt', 'Held.'))
  await waiting(page, 'held.txt').getByRole('progressbar').waitFor()
  await waiting(page, 'held.txt').getByRole('button', { name: 'Cancel' }).click()
  await waiting(page, 'held.txt').waitFor({ state: 'detached' })
  await page.unroute('**/api/knowledge/files*')

  await page.route('**/api/knowledge**', (route) => route.abort())
  await page.reload()
  await page.getByRole('alert').getByText('The server did not answer.').first().waitFor()
  await page.unroute('**/api/knowledge**')
  await page.getByRole('button', { name: 'Try again' }).last().click()
  await row(page, 'dropped.txt').waitFor()
})

test('[G5.6] on a phone collections and documents are two pages', async () => {
  await world.api('POST', '/api/knowledge', {
    category: 'c',
    title: 'On a phone',
    content: 'Words.',
    collection: 'Phone',
  })
  await using opened = await world.open('/knowledge', { width: 390, height: 844, look: 'light-zh' })
  const { page } = opened
  await page.getByRole('link', { name: /Phone/ }).click()
  await row(page, 'On a phone').waitFor()
  expect(await page.locator('[data-area="list"]').isVisible()).toBe(false)
  expect(await looksWrong(page)).toEqual([])
  await shoot(page, 'knowledge-phone')
  await page.getByRole('tab', { name: '像智能体一样检索' }).click()
  await page.getByRole('searchbox').waitFor()
  expect(await looksWrong(page)).toEqual([])
  await page.getByRole('link', { name: '返回' }).click()
  await page.getByRole('link', { name: '全部文档' }).click()
  await row(page, 'On a phone').waitFor()
})
