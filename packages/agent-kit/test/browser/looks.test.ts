/** What the chat looks like: names, roles and contrast are checked, pictures are kept in the temporary folder. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeViolations } from '../../../chatkit/test/browser/axe.ts'
import { answered, idle, say, sessionOf } from './do-in-chat.ts'
import { type App, openApp } from './open-app.ts'

let app: App
const shots = join(import.meta.dirname, '../../../../.test-shots/agent-kit')
beforeAll(async () => {
  app = await openApp()
  await mkdir(shots, { recursive: true })
}, 120_000)
afterAll(() => app[Symbol.asyncDispose]())

/** Everything that a conversation may hold, one below the other. */
const SAID = {
  en: ['List the files in the workspace', 'Let a sub-agent ask me something', 'Ask me a question'],
  zh: ['列出工作区里的文件', '让子智能体问我一个问题', '做一件需要我确认的事'],
}

async function addPill(page: Page): Promise<void> {
  type Bridge = { useUiBridgeStore: { getState(): { addPendingContext(id: string, context: object): void } } }
  await page.evaluate(
    (id) =>
      (window as unknown as Bridge).useUiBridgeStore
        .getState()
        .addPendingContext(id, { label: 'Order 17', content: 'three bicycles' }),
    await sessionOf(page),
  )
  await page.locator('.ak-pills').waitFor()
}

const looks = (['light', 'dark'] as const).flatMap((theme) =>
  (['en', 'zh'] as const).map((lang) => [theme, lang] as const),
)

test.each(looks)('[W14.6] %s, %s: no violation of the accessibility rules in any state', async (theme, lang) => {
  await using opened = await app.open(`theme=${theme}&lang=${lang}`)
  const { page, problems } = opened
  const look = async (name: string) => {
    await page.screenshot({ path: join(shots, `${name}-${theme}-${lang}.png`) })
    expect(await axeViolations(page)).toEqual([])
  }
  await page.locator('.ak-empty').waitFor()
  await look('empty')
  const [tool = '', subAgent = '', ask = ''] = SAID[lang]
  await say(page, tool)
  await answered(page, lang === 'en' ? 'workspace is empty' : '工作区是空的')
  await idle(page)
  await page.locator('.ak-tool button').first().click()
  await look('tool')
  await say(page, subAgent)
  await page.locator('.ak-sub-agent .ck-question input').first().check()
  await idle(page)
  await look('sub-agent')
  await page.locator('.ak-sub-agent .ck-question button[type=submit]').click()
  await answered(page, lang === 'en' ? 'The user chose' : '用户选择了')
  await idle(page)
  await say(page, ask)
  await page.locator('.ck-question, .ck-confirmation').last().waitFor()
  await idle(page)
  await addPill(page)
  await look('ask')
  expect(problems.filter((problem) => !problem.includes('Content Security Policy'))).toEqual([])
})

test('[W14.6] fits a narrow screen', async () => {
  await using opened = await app.open('custom', { viewport: { width: 380, height: 700 } })
  const { page } = opened
  await say(page, 'Write a long answer with headings, a table and code')
  await answered(page, 'It ends here')
  await idle(page)
  await page.screenshot({ path: join(shots, 'narrow.png') })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(380)
})
