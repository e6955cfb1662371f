/** [W14.5] A chat of the program's own on `useChat` alone. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sessionOf } from './do-in-chat.ts'
import { type App, openApp } from './open-app.ts'

let app: App
beforeAll(async () => {
  app = await openApp()
}, 120_000)
afterAll(() => app[Symbol.asyncDispose]())

type Message = {
  role: string
  content: unknown
  kind?: string
  tool_calls?: { id: string; name: string; status: string }[]
}
type Hook = {
  chat: {
    messages: Message[]
    agentLoops: Record<string, Message[]>
    send(content: unknown, modeOrOptions?: unknown): Promise<void>
    answer(text: string, id: string, answer: object): Promise<void>
    append(content: string): Promise<void>
    stop(): Promise<void>
  }
}

async function send(page: Page, ...parameters: unknown[]): Promise<void> {
  await page.waitForFunction(() => 'chat' in window)
  await page.evaluate((given) => (window as unknown as Hook).chat.send(...(given as [unknown])), parameters)
}
const rest = (page: Page) => page.locator('#messages[data-streaming=false]').waitFor()
const messages = (page: Page) => page.evaluate(() => (window as unknown as Hook).chat.messages)
const said = (page: Page, words: string) => page.locator('#messages li', { hasText: words }).last().waitFor()

test('[W14.5] send, stream and stop; the state says so', async () => {
  await using opened = await app.open('hook')
  const { page, problems } = opened
  await send(page, 'Answer slowly, so that I can stop you')
  await page.locator('#messages[data-streaming=true]').waitFor()
  await said(page, 'I take my time')
  const stopping = page.evaluate(() => {
    const list = document.querySelector('#messages')!
    const seen = new Promise<boolean>((resolve) => {
      new MutationObserver(() => resolve(list.getAttribute('data-stopping') === 'true')).observe(list, {
        attributeFilter: ['data-stopping'],
      })
    })
    void (window as unknown as Hook).chat.stop()
    return seen
  })
  expect(await stopping).toBe(true)
  await rest(page)
  expect(await page.locator('#messages li').last().getAttribute('data-status')).toBe('interrupted')
  expect(await page.locator('#messages').getAttribute('data-stopping')).toBe('false')
  expect(problems).toEqual([])
})

test('[W14.5] messages have calls under `name`, and none of a sub-agent', async () => {
  await using opened = await app.open('hook')
  const { page } = opened
  await send(page, 'Delegate this to a sub-agent')
  await said(page, 'Agent:done')
  await rest(page)
  expect((await messages(page)).map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant'])
  const loops = await page.evaluate(() => Object.values((window as unknown as Hook).chat.agentLoops))
  expect(loops.flat().map(({ content }) => content)).toContainEqual(expect.stringContaining('The workspace holds'))
})

test('[W14.5] a text answers the last open question; answer() chooses', async () => {
  await using opened = await app.open('hook')
  const { page } = opened
  await send(page, 'Ask me a question')
  await said(page, 'AskUserQuestion:awaiting_answer')
  await rest(page)
  await send(page, 'whatever is blue')
  await said(page, 'You answered')
  await rest(page)
  expect(JSON.stringify(await messages(page))).toContain('whatever is blue')
  await send(page, 'Ask me a question')
  await said(page, 'AskUserQuestion:awaiting_answer')
  await rest(page)
  const open = (await messages(page)).at(-1)!.tool_calls!.at(-1)!
  await page.evaluate(
    (id) => (window as unknown as Hook).chat.answer('the first ones', id, { selections: { 0: [0], 1: [0] } }),
    open.id,
  )
  await page.locator('#messages li[data-role=user]', { hasText: 'the first ones' }).waitFor()
  await rest(page)
  expect(await page.locator('#messages li', { hasText: 'You answered' }).count()).toBe(2)
})

test('[W14.5] modes, models and parts go along; a refused message is told in `error`', async () => {
  await using opened = await app.open('hook')
  const { page, problems } = opened
  await send(page, 'Make a plan first', 'planning')
  await said(page, 'That is my plan')
  await rest(page)
  expect((await messages(page)).map(({ kind }) => kind)).toContain('mode_change')
  await send(page, [{ type: 'text', text: 'in parts' }], { model: 'scripted', mode: 'executing' })
  await said(page, 'Heard: in parts')
  await rest(page)
  await send(page, 'hello', { model: 'no-such-model' })
  await page.locator('#messages[data-error*="no-such-model"]').waitFor()
  expect(problems).toEqual([])
})

test('[W14.5] append adds to the run under way', async () => {
  await using opened = await app.open('hook')
  const { page } = opened
  await send(page, 'Answer slowly, so that I can stop you')
  await said(page, 'I take my time')
  await page.evaluate(() => (window as unknown as Hook).chat.append('and hurry up'))
  await page.evaluate(() => (window as unknown as Hook).chat.stop())
  await rest(page)
  expect((await messages(page)).filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
    'Answer slowly, so that I can stop you',
    'and hurry up',
  ])
})

test('[W14.5] uploaded files are named in the message', async () => {
  await using opened = await app.open('hook')
  const { page } = opened
  const id = await sessionOf(page)
  const content = await page.evaluate(async (session) => {
    const kit = window as unknown as {
      uploadFiles(id: string, folder: string, files: File[]): Promise<{ uploaded: string[] }>
      buildMessageContent(text: string, attachments: object[]): unknown
    }
    const { uploaded } = await kit.uploadFiles(session, 'data', [new File(['1,2'], 'table.csv')])
    return kit.buildMessageContent('Read it', [{ kind: 'file', name: 'table.csv', uploadedPath: uploaded[0] }])
  }, id)
  await send(page, content, { model: 'scripted' })
  await said(page, 'Heard: Read it')
  expect(app.lastQuestion()).toContain('- table.csv: data/table.csv')
})

test('[W14.5] two views of one session agree', async () => {
  await using opened = await app.open('hook')
  await using other = await app.open(`hook&session=${await sessionOf(opened.page)}`)
  await send(opened.page, 'Hello')
  await said(other.page, 'demo model')
  await rest(other.page)
  expect(await messages(other.page)).toEqual(await messages(opened.page))
})
