/** The embed page, and each of its snippets in the hands of somebody who copied it. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { build } from 'vite'
import { PATIENCE_MS } from '../../../../packages/chatkit/test/browser/open-browser.ts'
import { freePort } from '../../../../test/walk/newcomer.ts'
import { CONSOLE_KEY, type Console, type Look, looksWrong, openConsole, shoot } from './open-console.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const SNIPPETS = join(ROOT, 'apps/console/src/pages/embed/snippets')
const ALL_LOOKS: readonly Look[] = ['light-en', 'dark-zh', 'dark-en', 'light-zh']

let world: Console
let folder: string
/** A product: its pages, by their path, and its token route, which is a snippet too. */
let site: { url: string; pages: Map<string, string>; tokens: number } & AsyncDisposable
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'embed-'))
  // As in a project that has installed our packages.
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  site = await openSite()
  world = await openConsole({ options: { allowedOrigins: [site.url, 'https://shop.example'] } })
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** What the page's Copy gives; the token server is behind its button. */
async function copied(kind: string, look: Look = 'light-en'): Promise<string> {
  await using opened = await world.open(`/embed?kind=${kind}`, { look })
  await opened.page
    .getByRole('button', { name: /^(?:Copy|复制)$/ })
    .first()
    .click()
  return await opened.page.evaluate(() => navigator.clipboard.readText())
}

test.each(['script', 'element', 'iframe'])('[G5.9] what is copied as %s is a chat that talks', async (kind) => {
  await using tokens = await startTokens('token-server.mjs')
  site.tokens = tokens.port
  site.pages.set(`/${kind}`, `<!doctype html><title>Shop</title>${await copied(kind)}`)
  await talk(`/${kind}`, kind)
})

test('[G5.9] what is copied for React is built, and talks; its token comes from Python', async () => {
  await using tokens = await startTokens('token_server.py')
  site.tokens = tokens.port
  const source = join(folder, 'react')
  await mkdir(source, { recursive: true })
  await writeFile(join(source, 'chat.tsx'), await copied('react'))
  await writeFile(
    join(source, 'main.tsx'),
    `import { createRoot } from 'react-dom/client'\nimport { Chat } from './chat.tsx'\ncreateRoot(document.body).render(<Chat />)`,
  )
  await writeFile(join(source, 'index.html'), '<!doctype html><script type="module" src="./main.tsx"></script>')
  await build({
    root: source,
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['parley-source', 'module', 'browser', 'production'], dedupe: ['react', 'react-dom'] },
    build: { outDir: 'dist', assetsInlineLimit: 10_000_000, modulePreload: false },
    base: '/react/',
  })
  site.pages.set('/react', await readFile(join(source, 'dist/index.html'), 'utf8'))
  for (const name of await readdir(join(source, 'dist/assets')))
    site.pages.set(`/react/assets/${name}`, await readFile(join(source, 'dist/assets', name), 'utf8'))
  await talk('/react', 'react')
})

test.each([
  ['http', 'http.sh', ['bash']],
  ['socket', 'socket.mjs', [process.execPath]],
])('[G5.9] what is copied for %s answers', async (kind, name, [program]) => {
  const file = join(folder, name)
  await writeFile(file, await copied(kind))
  const env = { ...process.env, PARLEY_KEY: CONSOLE_KEY }
  const { stdout } = await promisify(execFile)(program!, [file], { env, timeout: 60_000 })
  expect(stdout).toContain('You said **Hello**.')
})

test('[G5.9] no key stands in a snippet, and nothing but this server and the reader’s words is put into one', async () => {
  for (const [kind, name] of Object.entries({
    script: 'script.html',
    element: 'element.html',
    iframe: 'iframe.html',
  })) {
    const file = (await readFile(join(SNIPPETS, name), 'utf8')).trimEnd()
    const chinese = await copied(kind, 'dark-zh')
    expect(chinese).toBe(
      file
        .replaceAll('http://127.0.0.1:8020', world.url)
        .replaceAll('Ask%20us', encodeURIComponent('问我们'))
        .replaceAll('Ask us', '问我们'),
    )
    expect(chinese).not.toContain('sk-')
  }
})

test('[G5.9] the page says whether an address is let in, else with which line; a visit turns it to a tick', async () => {
  await using opened = await world.open('/embed')
  const { page, problems } = opened
  const address = page.getByRole('textbox', { name: 'Your page’s address' })
  await address.fill('https://other.example/help')
  const line = `PARLEY_ALLOWED_ORIGINS=${site.url},https://shop.example,https://other.example npm start`
  await page.getByText(line, { exact: true }).waitFor()
  await address.fill('http://localhost:5173')
  await page.getByText('Allowed: pages there may use this server.').waitFor()
  // A frame may stand only where the server was told so.
  await page.getByRole('tab', { name: 'iframe' }).click()
  await page.getByText(/^PARLEY_ALLOWED_ORIGINS=.*,http:\/\/localhost:5173 npm start$/).waitFor()
  await page.getByRole('tab', { name: 'Script tag' }).click()
  await address.fill('https://shop.example/a/page')
  await page.getByText('Waiting for the first visit from shop.example.').waitFor()
  expect(new URL(page.url()).searchParams.get('page')).toBe('https://shop.example/a/page')
  await fetch(`${world.url}/api/version`, { headers: { origin: 'https://shop.example' } })
  await page.getByText(/^It works: the first visit from shop\.example came at \d\d:\d\d/).waitFor()
  await address.fill('shop')
  await page.getByText('An address such as https://shop.example.com').waitFor()
  expect(problems).toEqual([])
})

test.each(ALL_LOOKS)('[G5.9] the page in %s', async (look) => {
  for (const width of [1440, 390]) {
    await using opened = await world.open(`/embed?page=https://nobody.example`, {
      look,
      width,
      height: width === 390 ? 844 : 900,
    })
    const { page } = opened
    await page.getByText(/PARLEY_ALLOWED_ORIGINS=/).waitFor()
    await page.getByRole('button', { name: /^(?:Show the code|显示代码)$/ }).click()
    expect(await looksWrong(page)).toEqual([])
    await shoot(page, `embed-${look}-${width}`)
  }
})

/** Somebody opens the page and says hello. */
async function talk(path: string, kind: string): Promise<void> {
  const context = await world.browser.newContext({ locale: 'en-GB' })
  try {
    const page: Page = await context.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    await page.goto(site.url + path)
    if (kind === 'script') await page.locator('parley-launcher .launcher').click()
    const chat = kind === 'iframe' ? page.frameLocator('iframe') : page
    await chat.locator('.ck-composer-text').fill('Hello')
    await chat.locator('.ck-composer-text').press('Enter')
    await chat.locator('.ck-md', { hasText: 'You said Hello.' }).waitFor()
    await expect.poll(async () => (await originOf(site.url)).first_visit_at).not.toBeNull()
  } finally {
    await context.close()
  }
}

const originOf = (origin: string) =>
  world.api<{ first_visit_at: string | null }>('GET', `/api/embed/origin?origin=${encodeURIComponent(origin)}`)

async function openSite() {
  const pages = new Map<string, string>()
  const made = { url: '', pages, tokens: 0, [Symbol.asyncDispose]: async () => void server.close() }
  const answer = async (path: string, response: ServerResponse) => {
    if (path === '/token') {
      const made = await fetch(`http://127.0.0.1:${site.tokens}/token`, { method: 'POST' })
      return void response.writeHead(made.status).end(await made.text())
    }
    const page = pages.get(path)
    const type = { '.js': 'text/javascript', '.css': 'text/css' }[extname(path)] ?? 'text/html'
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': `${type}; charset=utf-8` }).end(page)
  }
  const server: Server = createServer(({ url = '' }, response) => void answer(url, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  made.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return made
}

/** A token server as it stands in its file, with this server's address. */
async function startTokens(name: string) {
  const file = join(folder, name)
  const text = await readFile(join(SNIPPETS, name), 'utf8')
  await writeFile(file, text.replaceAll('http://127.0.0.1:8020', world.url))
  const port = await freePort(3000)
  const env = { ...process.env, PARLEY_KEY: CONSOLE_KEY, PORT: String(port) }
  const child = execFile(name.endsWith('.py') ? 'python3' : process.execPath, [file], { env })
  await expect
    .poll(() =>
      fetch(`http://127.0.0.1:${port}/token`, { method: 'POST' }).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    .toBe(true)
  return { port, [Symbol.asyncDispose]: async () => void child.kill() }
}
