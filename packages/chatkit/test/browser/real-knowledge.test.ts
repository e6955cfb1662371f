import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axeViolations } from './axe.ts'
import { openServer, type World } from './open-server.ts'

// Answers from documents, as a reader sees them: ChatKit over a real Parley server with its demo model.

let world: World
const shots = join(import.meta.dirname, '../../../../.test-shots/chatkit')
beforeAll(async () => {
  await mkdir(shots, { recursive: true })
  world = await openServer({ isDemo: true })
}, 60_000)
afterAll(() => world?.[Symbol.asyncDispose]())

test.each([
  {
    ...{ locale: 'en', theme: 'light', question: 'When does a confirmation expire?' },
    ...{ source: 'Source 1: Parley in short', fact: 'fifteen minutes' },
  },
  {
    ...{ locale: 'zh-CN', theme: 'dark', question: '确认请求多久会过期？' },
    ...{ source: '来源 1：Parley 简介', fact: '十五分钟' },
  },
])(
  '[S15.1] an answer names its source, which opens where it stands: $locale',
  async ({ locale, theme, question, source, fact }) => {
    await using opened = await world.open(`locale=${locale}&theme=${theme}`)
    const { page, chat } = opened
    await chat.ask(question)
    const number = page.getByRole('button', { name: source })
    await number.waitFor()
    expect(await page.locator('.ck-results li').count()).toBe(1)
    await page.screenshot({ path: join(shots, `real-sources-${locale}.png`) })
    await number.click()
    const mark = page.getByRole('dialog').locator('mark')
    await mark.waitFor()
    expect(await mark.textContent()).toContain(fact)
    expect(await axeViolations(page)).toEqual([])
    await page.screenshot({ path: join(shots, `real-passage-${locale}.png`) })
    await page.keyboard.press('Escape')
    // The same after a reload: it is part of the history.
    await using again = await world.open(`locale=${locale}&conversation=${await chat.conversation()}`)
    await again.page.getByRole('button', { name: source }).waitFor()
    expect(await chat.problems()).toEqual([])
  },
)

test('[S15.1] [S5.4] over agent-sse the same source is shown as found', async () => {
  await using opened = await world.open('adapter=agent-sse')
  const { page, chat } = opened
  await chat.ask('When does a confirmation expire?')
  await chat.answer('fifteen minutes')
  const [entry] = await page.locator('.ck-results li').allTextContents()
  expect(entry).toContain('Parley in short')
  expect(await page.locator('.ck-citation').count()).toBe(0)
  expect(await axeViolations(page)).toEqual([])
  await page.screenshot({ path: join(shots, 'real-sources-agent-sse.png') })
  expect(await chat.problems()).toEqual([])
})

test('[S15.3] an answer that is from no document shows no source', async () => {
  await using opened = await world.open()
  const { page, chat } = opened
  await chat.ask('list the files')
  await chat.answer('workspace is empty')
  expect(await page.locator('.ck-sources, .ck-citation').count()).toBe(0)
})

test('[S15.2] a document that was deleted is no longer opened, in a conversation that cites it', async () => {
  const document = {
    category: 'faq',
    title: 'Harbour',
    content: '# Harbour\n\nMooring a yacht costs nine guilders a night.',
  }
  const { id } = await world.send<{ id: string }>('POST', '/api/knowledge', document)
  await using opened = await world.open()
  const { page, chat } = opened
  await chat.ask('What does mooring a yacht cost?')
  const number = page.getByRole('button', { name: /^Source 1: Harbour/ })
  await number.click()
  await page.getByRole('dialog').locator('mark', { hasText: 'nine guilders' }).waitFor()
  await page.keyboard.press('Escape')
  await world.send('DELETE', `/api/knowledge/${id}`)
  await number.click()
  await page.getByRole('dialog').getByText('This document is no longer there.').waitFor()
})
