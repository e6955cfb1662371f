/** Files and tasks beside a conversation, its links and its archive, in a real browser against a real server. */
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FakeReply, FakeRequest } from '../../../../packages/testkit/src/index.ts'
import { type Console, LOOKS, looksWrong, openConsole, shoot } from './open-console.ts'

let world: Console
beforeAll(async () => {
  world = await openConsole()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const call = (name: string, args: object) => JSON.stringify({ name, arguments: args })
const panelOf = (page: Page) => page.locator('[data-area="panel"]')
const fileRow = (page: Page, path: string) => page.locator(`[data-file="${path}"]`)
const written = (id: string, path: string, content: string) =>
  world.api('PUT', `/api/sessions/${id}/files/${path}`, { content })

async function say(page: Page, text: string): Promise<void> {
  await page.locator('.ck-composer-text').fill(text)
  await page.locator('.ck-composer-text').press('Enter')
}

test.each(LOOKS)(
  '[G5.1] the files of a session stand beside it, and follow what the agent writes (%s)',
  async (look) => {
    const id = await world.ask(`Files in ${look}`)
    await using opened = await world.open(`/s/${id}?panel=files`, { look })
    const { page, problems } = opened
    await panelOf(page)
      .getByText(/No files yet|还没有文件/)
      .waitFor()
    expect(await looksWrong(page)).toEqual([])

    await say(page, call('Write', { file_path: 'notes/plan.md', content: '# Plan\n\n- one\n- **two**\n' }))
    await panelOf(page).getByRole('button', { name: 'notes' }).click()
    await fileRow(page, 'notes/plan.md').waitFor()
    expect(await looksWrong(page)).toEqual([])
    await shoot(page, `panel-files-${look}`)
    await fileRow(page, 'notes/plan.md').click()
    await page.waitForURL(/file=notes%2Fplan\.md/)
    await panelOf(page).locator('strong', { hasText: 'two' }).waitFor()
    expect(await looksWrong(page)).toEqual([])
    await shoot(page, `panel-file-${look}`)

    // The view follows, too, and has an address; back leads to the tree.
    await written(id, 'log.txt', 'first')
    await page.goto(`${world.url}/s/${id}?panel=files&file=log.txt`)
    await panelOf(page).getByText('first').waitFor()
    await say(page, call('Write', { file_path: 'log.txt', content: 'second' }))
    await panelOf(page).getByText('second', { exact: true }).waitFor()
    await panelOf(page)
      .getByRole('button', { name: /All files|全部文件/ })
      .click()
    await fileRow(page, 'log.txt').waitFor()
    expect(problems).toEqual([])
  },
)

test('[G5.1] files are given to the agent by hand or by drop; what is refused says why', async () => {
  const id = await world.ask('Files by hand')
  await using opened = await world.open(`/s/${id}`)
  const { page } = opened
  await page.getByRole('button', { name: 'Files', exact: true }).click()
  const chooser = page.waitForEvent('filechooser')
  await panelOf(page).getByRole('button', { name: 'Upload' }).click()
  await (await chooser).setFiles({ name: 'picked.txt', mimeType: 'text/plain', buffer: Buffer.from('by hand') })
  await fileRow(page, 'picked.txt').click()
  await panelOf(page).getByText('by hand').waitFor()
  const download = page.waitForEvent('download')
  await panelOf(page).getByRole('link', { name: 'Download' }).click()
  expect(await readFile(await (await download).path(), 'utf8')).toBe('by hand')
  await panelOf(page).getByRole('button', { name: 'All files' }).click()

  const dropped = await page.evaluateHandle(() => {
    const transfer = new DataTransfer()
    transfer.items.add(new File(['dropped'], 'dropped.txt'))
    transfer.items.add(new File(['no'], 'no\u0000name.txt'))
    return transfer
  })
  const zone = panelOf(page).locator('footer')
  await zone.dispatchEvent('dragover', { dataTransfer: dropped })
  await panelOf(page).getByText('Give these files to the agent').waitFor()
  await zone.dispatchEvent('drop', { dataTransfer: dropped })
  await fileRow(page, 'dropped.txt').waitFor()
  await panelOf(page).locator('[role="status"] .text-danger').waitFor()

  // A file that is gone says so, and the rest stays.
  await page.goto(`${world.url}/s/${id}?panel=files&file=gone.txt`)
  await panelOf(page).getByText('This was deleted, or it is not yours.').waitFor()
  await page.locator('.ck-md', { hasText: 'You said Files by hand' }).waitFor()
})

test('[G4.2] the panel pushes the list away, covers the conversation, or is a page of its own; Escape closes it', async () => {
  const id = await world.ask('Room for a panel')
  await written(id, 'a.txt', 'a')
  await using opened = await world.open(`/s/${id}?panel=files`, { width: 1279 })
  const { page } = opened
  await fileRow(page, 'a.txt').waitFor()
  const list = page.locator('[data-area="list"]')
  expect(await list.isVisible()).toBe(false)
  await page.setViewportSize({ width: 1280, height: 900 })
  expect(await list.isVisible()).toBe(true)
  expect((await panelOf(page).boundingBox())?.width).toBe(360)
  const sheet = page.locator('[data-area="sheet"]')
  const conversation = page.locator('.ck-root').first()
  const right = async (of: typeof sheet) => {
    const box = (await of.boundingBox())!
    return Math.round(box.x + box.width)
  }
  expect(await right(conversation)).toBe((await right(panelOf(page))) - 360)
  await page.setViewportSize({ width: 1000, height: 900 })
  expect(await right(conversation)).toBe(await right(panelOf(page)))

  await page.setViewportSize({ width: 390, height: 844 })
  expect((await panelOf(page).boundingBox())?.width).toBe(390)
  expect(await looksWrong(page)).toEqual([])
  await shoot(page, 'panel-phone')
  await fileRow(page, 'a.txt').focus()
  await page.keyboard.press('Escape')
  await panelOf(page).waitFor({ state: 'detached' })
  await page.locator('main').focus()
  await page.evaluate(() => (document.activeElement as HTMLElement).blur())
  await page.keyboard.press(']')
  await panelOf(page).waitFor()
})

test.each(LOOKS)('[G5.1] tasks and background commands stand beside the conversation (%s)', async (look) => {
  const id = await world.ask(`Tasks in ${look}`)
  await using opened = await world.open(`/s/${id}?panel=tasks`, { look })
  const { page } = opened
  await panelOf(page)
    .getByText(/Nothing is under way|没有正在做的事/)
    .waitFor()
  await say(page, call('TaskCreate', { title: 'Count the orders' }))
  await panelOf(page).locator('[data-task="pending"]', { hasText: 'Count the orders' }).waitFor()
  await say(page, call('Bash', { command: 'echo a line; sleep 300', run_in_background: true }))
  const command = panelOf(page).locator('[data-command]')
  await command.waitFor()
  await command.getByRole('button', { name: /Output|输出/ }).click()
  await command.getByText('a line', { exact: true }).waitFor()
  expect(await looksWrong(page)).toEqual([])
  await shoot(page, `panel-tasks-${look}`)
  await command.getByRole('button', { name: /Stop|停止/ }).click()
  await panelOf(page).locator('[data-command="stopped"]').waitFor()
})

test.each(LOOKS)('[G5.1] a session is shared by a link that is shown once and can be revoked (%s)', async (look) => {
  const id = await world.ask(`Shared in ${look}`)
  await using opened = await world.open(`/s/${id}`, { look })
  const { page, problems } = opened
  await page.getByRole('button', { name: /^(Share|分享)$/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/Left out|不会显示/).waitFor()
  await dialog.getByRole('button', { name: /Make a link|创建链接/ }).click()
  const link = await dialog.getByLabel(/The new link|新链接/).inputValue()
  const shown = async () => (await fetch(new URL(new URL(link).pathname, world.url))).status
  expect(await shown()).toBe(200)
  expect(await looksWrong(page)).toEqual([])
  await shoot(page, `share-${look}`)

  // Opened again it is told no more, and can be ended.
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /^(Share|分享)$/ }).click()
  expect(await dialog.getByLabel(/The new link|新链接/).count()).toBe(0)
  await dialog.locator('[data-share]').getByRole('button').click()
  await dialog.locator('[data-share]').waitFor({ state: 'detached' })
  expect(await shown()).toBe(404)

  const download = page.waitForEvent('download')
  await dialog.getByRole('button', { name: /Export as ZIP|导出为 ZIP/ }).click()
  const archive = await readFile(await (await download).path())
  expect(archive.subarray(0, 2).toString()).toBe('PK')
  expect(problems).toEqual([])
})

test('[G5.1] the context meter says what fills it and compacts or says why not; links can be switched off', async () => {
  await using other = await openConsole({ options: { publicSharing: false, model: 'gpt-4o-mini' } })
  const id = await other.ask('Hello')
  for (const look of LOOKS) {
    await using opened = await other.open(`/s/${id}`, { look })
    const { page } = opened
    await page.getByRole('button', { name: /of the context|上下文已用/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/^(Conversation|对话)/).waitFor()
    expect(await looksWrong(page)).toEqual([])
    await shoot(page, `context-${look}`)
    await dialog.getByRole('button', { name: /Compact now|立即压缩/ }).click()
    await dialog.getByRole('alert').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^(Share|分享)$/ }).click()
    await dialog.getByText(/Links are switched off|关闭了分享链接/).waitFor()
    expect(await dialog.getByRole('button', { name: /ZIP/ }).isEnabled()).toBe(true)
    expect(await dialog.getByRole('button', { name: /Make a link|创建链接/ }).count()).toBe(0)
  }
})

test('[G6.5] a compaction that takes its time says so, in its dialog and in the conversation', async () => {
  const summary = Promise.withResolvers<void>()
  const reply = (request: FakeRequest): FakeReply => {
    if (request.messages.some(({ text }) => /summar/i.test(text)) || /summar/i.test(request.system))
      return { text: 'A summary.', until: summary.promise }
    return { text: 'word '.repeat(400) }
  }
  await using other = await openConsole({ reply, options: { model: 'gpt-4o-mini' } })
  const id = await other.ask('Hello')
  for (const text of ['More', 'And more']) await other.api('POST', `/api/sessions/${id}/chat`, { message: text })
  await using opened = await other.open(`/s/${id}`)
  const { page } = opened
  await page.getByRole('button', { name: /of the context/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Compact now' }).click()
  await dialog.getByText(/Writing the summary … [1-9]\d* s/).waitFor()
  expect(await looksWrong(page)).toEqual([])
  await shoot(page, 'compacting')
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByText('Compacting earlier parts of the conversation …').waitFor()
  summary.resolve()
  await page.getByText('Earlier parts of the conversation were compacted').waitFor()
})
