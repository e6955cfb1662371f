/** A Parley server whose model does what the message says, and a page with one chat over it in Chromium. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { BrowserContextOptions, Page } from 'playwright-core'
import {
  type FakeReply,
  type FakeRequest,
  startFakeModel,
  startTcpProxy,
  type TcpProxy,
} from '../../../testkit/src/index.ts'
import { withDefaults } from '../../../server/src/config/options.ts'
import { startServer } from '../../../server/src/server.ts'
import { openBrowser, type Opened, type TestBrowser } from './open-browser.ts'

const KEY = 'sk-blade-v2-for-the-tests-of-the-chat'

export type World = {
  browser: TestBrowser
  /** Between the page and the server. */
  line: TcpProxy
  /** Opens the chat; `query` sets language, theme and conversation. */
  open: (query?: string, options?: OpenOptions) => Promise<Opened & { chat: Chat }>
  api: <Answer>(path: string) => Promise<Answer>
  text: (path: string) => Promise<string>
  /** Changes something with the owner's key. */
  send: <Answer>(method: string, path: string, body?: object) => Promise<Answer>
} & AsyncDisposable

type OpenOptions = BrowserContextOptions & { hasPolicy?: boolean }

/** A message that is a call in JSON is made; `slow` is answered word by word, `very slow` for longer than any page takes to load, `count` each time otherwise. */
function reply({ system, question, results }: FakeRequest): FakeReply {
  // Nobody is offered what to ask next here.
  if (system.startsWith('You propose')) return {}
  if (results.length > 0) return { text: `Done: ${results.join(' | ')}` }
  if (question.startsWith('{')) return { calls: [JSON.parse(question) as { name: string; arguments: unknown }] }
  if (question.startsWith('very slow')) return { text: words(4_000), chunkDelayMs: 25 }
  if (question.startsWith('slow')) return { text: words(120), chunkDelayMs: 25 }
  if (question.startsWith('count')) return { text: `Answer ${(answers += 1)} to **${question}**.` }
  return { text: `You said **${question}**.` }
}
let answers = 0
const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i}`).join(' ')

/** `isDemo`: the server's own demo model answers, not the one that does what the message says. */
export async function openServer({ isDemo = false } = {}): Promise<World> {
  const parts = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'chatkit-server-'))
  parts.defer(() => rm(folder, { recursive: true, force: true }))
  const model = parts.use(await startFakeModel(reply))
  // The page's origin is known only after the server's: the proxy stands for both while they start.
  const target = { host: '127.0.0.1', port: 0 }
  const line = parts.use(await startTcpProxy(target))
  const url = `http://127.0.0.1:${line.port}`
  const browser = parts.use(await openBrowser({ page: 'real-page', servers: [url, url.replace('http', 'ws')] }))
  const server = await startServer(
    withDefaults({
      port: 0,
      dataDir: folder,
      ownerKey: KEY,
      language: 'en',
      ...(!isDemo && { modelUrl: model.url, model: 'fake-model' }),
      drainMs: 200,
      allowedOrigins: [browser.url],
      ...(!isDemo && {
        policy: {
          rules: [{ tool: 'Write', arguments: {}, decision: 'ask' }],
          headless: 'fail',
          confirmationMinutes: 15,
        },
      }),
    }),
    pino({ level: 'silent' }),
  )
  parts.defer(() => server[Symbol.asyncDispose]())
  target.port = Number(new URL(server.url).port)
  const text = async (path: string) => {
    const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${KEY}` } })
    return response.text()
  }
  return {
    browser,
    line,
    async open(query = '', options = {}) {
      const address = `${new URLSearchParams({ server: url, token: KEY }).toString()}&${query}`
      const opened = await browser.open(address, options)
      await opened.page.locator('.ck-composer-text').waitFor()
      return { ...opened, chat: chatOn(opened.page) }
    },
    api: async <Answer>(path: string) => JSON.parse(await text(path)) as Answer,
    text,
    async send<Answer>(method: string, path: string, body?: object) {
      const headers = { authorization: `Bearer ${KEY}`, ...(body && { 'content-type': 'application/json' }) }
      const response = await fetch(server.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`)
      return JSON.parse((await response.text()) || 'null') as Answer
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

/** What a person does on the page. */
export type Chat = ReturnType<typeof chatOn>

function chatOn(page: Page) {
  const box = page.locator('.ck-composer-text')
  const say = async (text: string) => {
    await box.fill(text)
    await box.press('Enter')
  }
  const idle = () => page.getByRole('button', { name: /^(?:Send|发送)$/ }).waitFor()
  return {
    say,
    /** Until the answer is complete; it may be before anybody sees that one is under way. */
    async ask(text: string) {
      await say(text)
      await page.locator('.ck-message[data-role="User"]', { hasText: text }).last().waitFor()
      await idle()
    },
    /** The last answer, once it holds the text. */
    answer: (text: string) => page.locator('.ck-message', { hasText: text }).last().waitFor(),
    idle,
    conversation: () => page.evaluate(() => (window as unknown as Log).test.conversations.at(-1) ?? ''),
    problems: () => page.evaluate(() => (window as unknown as Log).test.errors),
  }
}

export type Log = { test: { conversations: string[]; bridged: unknown[]; errors: string[] } }
