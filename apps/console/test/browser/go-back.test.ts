/** Back to before a message, with the files, in a real browser against a real server. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Console, type Look, looksWrong, openConsole, shoot } from './open-console.ts'

let world: Console
beforeAll(async () => {
  const policy = {
    rules: [{ tool: '*', decision: 'allow' as const }],
    headless: 'deny' as const,
    confirmationMinutes: 15,
  }
  world = await openConsole({ options: { policy } })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const write = (file_path: string) => JSON.stringify({ name: 'Write', arguments: { file_path, content: 'text' } })
const own = (page: Page, text: string) =>
  page.locator('.ck-row', { has: page.locator('[data-role=User]', { hasText: text }) })

/** A question, a file that is written, and another question. */
async function threeMessages(): Promise<string> {
  const id = await world.ask('First question')
  for (const message of [write('notes/plan.md'), 'Last question'])
    await world.api('POST', `/api/sessions/${id}/chat`, { message })
  return id
}
const files = async (id: string) =>
  JSON.stringify(await world.api('GET', `/api/sessions/${id}/ls/notes`).catch(() => null))

const LOOKS: readonly Look[] = ['light-en', 'dark-zh', 'dark-en', 'light-zh']

test.each(LOOKS)(
  '[G5.1] [W12.1] going back says what it undoes, and takes messages and files back (%s)',
  async (look) => {
    const isEnglish = look.endsWith('en')
    const id = await threeMessages()
    expect(await files(id)).toContain('plan.md')
    await using opened = await world.open(`/s/${id}`, { look })
    const { page, problems } = opened
    const row = own(page, 'plan.md')
    await row.hover()
    await shoot(page, `go-back-${look}`)
    await row.getByRole('button', { name: isEnglish ? 'Go back to here' : '回到这里' }).click()
    const dialog = page.getByRole('dialog')
    await dialog
      .getByText(isEnglish ? /This message and 1 later one leave the conversation/ : /之后的 1 条消息/)
      .waitFor()
    await dialog.getByText(isEnglish ? 'The agent wrote 1 file since then:' : '此后智能体写过 1 个文件：').waitFor()
    await dialog.getByText('notes/plan.md').waitFor()
    expect(await looksWrong(page)).toEqual([])
    await shoot(page, `go-back-dialog-${look}`)
    await dialog.getByRole('button', { name: isEnglish ? 'Go back' : '回到这里', exact: true }).click()
    await own(page, 'Last question').waitFor({ state: 'detached' })
    await own(page, 'plan.md').waitFor({ state: 'detached' })
    await page.locator('.ck-md', { hasText: 'You said First question' }).waitFor()
    expect(await files(id)).not.toContain('plan.md')
    expect(await looksWrong(page)).toEqual([])
    expect(problems).toEqual([])
  },
)

test('[G5.1] asked again differently, the message is in the text box, and the files stay if somebody says so', async () => {
  const id = await threeMessages()
  await using opened = await world.open(`/s/${id}`)
  const { page, problems } = opened
  await own(page, 'Last question').hover()
  // Without a pointer, too.
  await own(page, 'First question').getByRole('button', { name: 'Ask again differently' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('switch', { name: 'Set the files back, too' }).uncheck()
  await dialog.getByRole('button', { name: 'Take back and edit' }).click()
  await dialog.waitFor({ state: 'detached' })
  const box = page.locator('.ck-composer-text')
  await expect.poll(() => box.inputValue()).toBe('First question')
  expect(await files(id)).toContain('plan.md')
  await box.fill('Second thoughts')
  await box.press('Enter')
  await page.locator('.ck-md', { hasText: 'You said Second thoughts' }).waitFor()
  expect(await own(page, 'First question').count()).toBe(0)
  expect(problems).toEqual([])
})

test('[G5.1] what the server refuses is told in the dialog, and nothing has changed', async () => {
  const id = await threeMessages()
  await using opened = await world.open(`/s/${id}`)
  const { page } = opened
  await own(page, 'Last question').getByRole('button', { name: 'Go back to here' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('The agent wrote no files since then.').waitFor()
  await page.route('**/rewind', (route) =>
    route.fulfill({ status: 409, json: { detail: 'A run is under way.', code: 'session_busy' } }),
  )
  await dialog.getByRole('button', { name: 'Go back', exact: true }).click()
  await dialog.getByRole('alert').getByText('A run is under way.').waitFor()
  expect(await looksWrong(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect(await own(page, 'Last question').count()).toBe(1)
})
