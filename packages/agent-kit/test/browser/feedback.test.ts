/** Thumbs and comments in the chat of an existing program, which knows nothing of them. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeViolations } from '../../../chatkit/test/browser/axe.ts'
import { idle, say, sessionOf } from './do-in-chat.ts'
import { type App, KEY, openApp } from './open-app.ts'

let app: App
const shots = join(import.meta.dirname, '../../../../.test-shots/agent-kit')
beforeAll(async () => {
  app = await openApp()
  await mkdir(shots, { recursive: true })
}, 120_000)
afterAll(() => app[Symbol.asyncDispose]())

const WORDS = {
  en: { ask: 'List the files in the workspace', answer: 'workspace is empty', bad: 'Bad answer', saved: 'Saved.' },
  zh: { ask: '列出工作区里的文件', answer: '工作区是空的', bad: '没帮助', saved: '已保存' },
}

test.each([
  { whose: 'the kit’s messages', theme: 'light', lang: 'en', more: '' },
  { whose: 'the kit’s messages', theme: 'dark', lang: 'zh', more: '' },
  { whose: 'messages of its own', theme: 'light', lang: 'en', more: '&custom&turns' },
] as const)(
  '[K12.2] [W14.6] with $whose, $theme, $lang: a bad answer is commented, and the server keeps it',
  async ({ theme, lang, more }) => {
    const words = WORDS[lang]
    await using opened = await app.open(`theme=${theme}&lang=${lang}${more}`)
    const { page, problems } = opened
    await say(page, words.ask)
    await page.getByText(words.answer).last().waitFor()
    await idle(page)
    await page.getByRole('button', { name: words.bad }).last().click()
    const field = page.locator('.ck-comment textarea')
    await field.fill('<b>Yesterday’s</b> notes are missing.')
    await page.screenshot({ path: join(shots, `comment-${theme}-${lang}${more && '-own'}.png`) })
    expect(await axeViolations(page)).toEqual([])
    await field.press('Enter')
    await page.getByText(words.saved).waitFor()
    const response = await fetch(`${app.parley}/api/sessions/${await sessionOf(page)}/feedback`, {
      headers: { authorization: `Bearer ${KEY}` },
    })
    expect(await response.json()).toMatchObject({
      items: [{ value: 'dislike', comment: '<b>Yesterday’s</b> notes are missing.' }],
    })
    expect(problems).toEqual([])
  },
)
