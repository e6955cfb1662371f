/** A real server whose model does what the message says, or plays the demo, and the console in a real Chromium. */
import { mkdtemp, mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { axeViolations } from '../../../../packages/chatkit/test/browser/axe.ts'
import { launchChromium, PATIENCE_MS } from '../../../../packages/chatkit/test/browser/open-browser.ts'
import { keepInside } from '../../../../packages/chatkit/test/browser/watch-page.ts'
import { type ServerOptions, withDefaults } from '../../../../packages/server/src/config/options.ts'
import { startServer } from '../../../../packages/server/src/server.ts'
import { type FakeReply, type FakeRequest, startFakeModel } from '../../../../packages/testkit/src/index.ts'

export const CONSOLE_KEY = 'sk-for-the-tests-of-the-console-0123456789'

export type Look = 'light-en' | 'dark-zh' | 'dark-en' | 'light-zh'
export const LOOKS: readonly Look[] = ['light-en', 'dark-zh']
type OpenOptions = { look?: Look; width?: number; height?: number; link?: string; isSignedOut?: boolean }

/** `problems`: what the page threw, wrote to its console as an error, or asked of others; none is good. */
export type Opened = { page: Page; problems: string[] } & AsyncDisposable

export type Console = {
  url: string
  browser: Browser
  /** Opens an address as the owner, signed in; `link` is another person's. */
  open: (path: string, options?: OpenOptions) => Promise<Opened>
  /** With the owner's key. */
  api: <Answer>(method: string, path: string, body?: object) => Promise<Answer>
  /** A session with a finished answer to this. */
  ask: (text: string) => Promise<string>
} & AsyncDisposable

export type ConsoleOptions = {
  isDemo?: boolean
  reply?: (request: FakeRequest) => FakeReply
  options?: Partial<ServerOptions>
}

export async function openConsole({
  isDemo = false,
  reply = echo,
  options = {},
}: ConsoleOptions = {}): Promise<Console> {
  const parts = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'console-'))
  parts.defer(() => rm(folder, { recursive: true, force: true }))
  const model = parts.use(await startFakeModel(reply))
  const server = await startServer(
    withDefaults({
      port: 0,
      dataDir: folder,
      ownerKey: CONSOLE_KEY,
      language: 'en',
      drainMs: 200,
      ...(!isDemo && { modelUrl: model.url, model: 'fake-model' }),
      ...options,
    }),
    pino({ level: 'silent' }),
  )
  parts.defer(() => server[Symbol.asyncDispose]())
  const browser = await launchChromium()
  parts.defer(() => browser.close())

  const api = async <Answer>(method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${CONSOLE_KEY}`, ...(body && { 'content-type': 'application/json' }) }
    const response = await fetch(server.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return JSON.parse((await response.text()) || 'null') as Answer
  }
  return {
    url: server.url,
    browser,
    api,
    open: (path, { link, isSignedOut, ...options } = {}) =>
      visit(browser, {
        ...{ url: server.url, key: isSignedOut ? undefined : CONSOLE_KEY, path, ...options },
        ...(link !== undefined && { link }),
      }),
    async ask(text) {
      const { session_id } = await api<{ session_id: string }>('POST', '/api/sessions', {})
      await api('POST', `/api/sessions/${session_id}/chat`, { message: text })
      return session_id
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

export type Visit = Omit<OpenOptions, 'isSignedOut'> & {
  url: string
  /** Of whoever signs in; without one nobody does, unless there is a link. */
  key: string | undefined
  path: string
}

/** An address of a server, in a window of its own. */
export async function visit(browser: Browser, { url, key, path, link, ...options }: Visit): Promise<Opened> {
  const { look = 'light-en', width = 1440, height = 900 } = options
  const context = await browser.newContext(lookOf(look, { width, height }))
  const foreign = await keepInside(context, [url])
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  const problems = watch(page, foreign)
  if (key !== undefined) {
    const headers = { authorization: `Bearer ${key}` }
    const made = link ?? (await linkOf(await fetch(`${url}/api/auth/sign-in-links`, { method: 'POST', headers })))
    await page.goto(new URL(new URL(made).pathname + new URL(made).search, url).href)
    await page.locator('nav').waitFor()
  }
  await page.goto(url + path)
  return { page, problems, [Symbol.asyncDispose]: () => context.close() }
}

async function linkOf(response: Response): Promise<string> {
  return ((await response.json()) as { url: string }).url
}

function lookOf(look: Look, viewport: { width: number; height: number }): BrowserContextOptions {
  const [scheme, language] = look.split('-')
  return {
    viewport,
    colorScheme: scheme as 'light' | 'dark',
    locale: language === 'zh' ? 'zh-CN' : 'en-GB',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...(viewport.width < 768 && { hasTouch: true }),
  }
}

function watch(page: Page, foreign: string[]): string[] {
  page.on('pageerror', (error) => foreign.push(String(error)))
  page.on('console', (message) => message.type() === 'error' && foreign.push(message.text()))
  return foreign
}

/** A message that is a call in JSON is made; everything else is said back. */
export function echo({ question, results, system }: FakeRequest): FakeReply {
  if (system.startsWith('You propose')) return {}
  if (results.length > 0) return { text: `Done: ${results.join(' | ')}` }
  if (question.startsWith('{')) return { calls: [JSON.parse(question) as { name: string; arguments: unknown }] }
  if (question.startsWith('slow')) return { text: 'word '.repeat(4_000), chunkDelayMs: 25 }
  return { text: `You said **${question}**.` }
}

/** Kept to be looked at, below the folder that git ignores. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = join(import.meta.dirname, '../../../../.test-shots/console')
  await mkdir(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' })
}

/** What axe finds, and whether anything reaches beyond the screen. */
export async function looksWrong(page: Page): Promise<string[]> {
  const found = await axeViolations(page)
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  return beyond > 0 ? [...found, `${beyond} px reach beyond the screen`] : found
}
