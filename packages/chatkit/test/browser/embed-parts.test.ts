/** The parts of the embed script: not in it, but loaded from its server at first use, on a page of another origin. */
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { pino } from 'pino'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withDefaults } from '../../../server/src/config/options.ts'
import { startServer } from '../../../server/src/server.ts'
import { startFakeModel } from '../../../testkit/src/index.ts'
import type { ChartDrawer } from '../../src/lazy/draw-chart.ts'
import { embedFile } from './embed-file.ts'
import { launchChromium, PATIENCE_MS } from './open-browser.ts'
import { FLOW } from './page/rich-scenes.ts'

const KEY = 'sk-blade-v2-for-the-tests-of-the-parts'
const ANSWERS: Record<string, string> = {
  code: '```python\nimport re\n```\n\nDone.',
  math: 'It is $a^2$.',
  diagram: `\`\`\`mermaid\n${FLOW}\n\`\`\`\n\nDone.`,
  words: 'Only words.',
}

const parts = new AsyncDisposableStack()
let browser: Browser
let parley: string
let site: string
let script: string
beforeAll(async () => {
  script = await readFile(embedFile, 'utf8')
  const folder = await mkdtemp(join(tmpdir(), 'chatkit-parts-'))
  parts.defer(() => rm(folder, { recursive: true, force: true }))
  const model = parts.use(await startFakeModel(({ question }) => ({ text: ANSWERS[question] ?? '?' })))
  const host = createServer((request, response) => {
    const isStrict = request.url === '/strict'
    const policy = `default-src 'none'; img-src data:; script-src ${parley}; connect-src ${parley} ${parley.replace('http', 'ws')}`
    response
      .writeHead(200, { 'content-type': 'text/html', ...(isStrict && { 'content-security-policy': policy }) })
      .end(`<!doctype html><html lang="en"><link rel="icon" href="data:,"><script src="${parley}/embed.js"></script>`)
  }).listen(0, '127.0.0.1')
  await once(host, 'listening')
  parts.defer(() => {
    host.closeAllConnections()
    host.close()
  })
  site = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
  const options = {
    port: 0,
    dataDir: folder,
    ownerKey: KEY,
    modelUrl: model.url,
    model: 'fake',
    allowedOrigins: [site],
  }
  const server = parts.use(await startServer(withDefaults(options), pino({ level: 'silent' })))
  parley = server.url
  browser = await launchChromium()
  parts.defer(() => browser.close())
})
afterAll(() => parts.disposeAsync())

type Visit = { page: Page; asked: string[]; problems: string[] } & AsyncDisposable
async function visit(path: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1000, height: 800 } })
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  const asked: string[] = []
  const problems: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  await page.goto(site + path)
  await page.evaluate((key) => {
    window.ParleyChat!.setGetToken(() => key)
    window.ParleyChat!.open()
  }, KEY)
  await page.locator('.ck-composer-text').waitFor()
  return { page, asked, problems, [Symbol.asyncDispose]: () => context.close() }
}
const ask = async (page: Page, question: string) => {
  await page.locator('.ck-composer-text').fill(question)
  await page.locator('.ck-composer-text').press('Enter')
}
const partsOf = (asked: readonly string[]) => asked.filter((url) => url.includes('/embed/'))

describe('[K16.3] parts of the embed script', () => {
  test('[K16.3] the script holds none of them', () => {
    const size = gzipSync(script).length
    console.log(`embed.js: ${(script.length / 1024).toFixed(0)} KiB, ${(size / 1024).toFixed(1)} KiB gzip`)
    expect(size).toBeLessThan(210 * 1024)
    expect(script).not.toMatch(/KaTeX parse error|mermaid\.initialize is|_echarts_instance_|hljs-/)
  })

  // The policy lets in the script's own server and nothing else.
  test.each(['/', '/strict'])('[K16.3] on a page of another origin (%s) code and formulas get theirs', async (path) => {
    await using visited = await visit(path)
    const { page, asked, problems } = visited
    await ask(page, 'words')
    await page.getByText('Only words.', { exact: true }).waitFor()
    expect(partsOf(asked)).toEqual([])
    await ask(page, 'code')
    await page.locator('.ck-code-keyword', { hasText: 'import' }).waitFor()
    await ask(page, 'math')
    await page.locator('math msup').waitFor()
    // The chat is in a shadow root; fonts of the page hold there, too.
    await page.waitForFunction(() => [...document.fonts].some(({ family }) => family === 'Parley Math'))
    const names = ['highlight', 'math', 'math-font'].map((name) => `${parley}/embed/${name}.js`)
    expect(partsOf(asked).toSorted()).toEqual(names.toSorted())
    expect(problems).toEqual([])
  })

  test('[K16.5] a diagram is drawn', async () => {
    await using visited = await visit('/')
    const { page, asked, problems } = visited
    await ask(page, 'diagram')
    await page.locator('.ck-diagram-frame:not(.ck-diagram-hidden)').waitFor()
    await page.frameLocator('.ck-diagram-frame').getByText('Read the gauges').waitFor()
    expect(partsOf(asked)).toContain(`${parley}/embed/mermaid.js`)
    expect(problems).toEqual([])
  })

  test('[K16.3] code stays plain where a part cannot be loaded', async () => {
    await using visited = await visit('/')
    const { page } = visited
    await page.route('**/embed/highlight.js', (route) => route.fulfill({ status: 404 }))
    const failed = page.waitForResponse('**/embed/highlight.js')
    await ask(page, 'code')
    await failed
    await page.getByText('Done.', { exact: true }).waitFor()
    expect(await page.locator('.ck-code-body').textContent()).toContain('import re')
    expect(await page.locator('.ck-code-keyword').count()).toBe(0)
  })

  test('[K14] the part for charts is one file that draws', async () => {
    await using visited = await visit('/')
    const { page, asked } = visited
    // As text: what vitest makes of an import does not exist in the page.
    await page.evaluate(`import('${parley}/embed/charts.js').then((part) => Object.assign(window, part))`)
    const drawn = await page.evaluate(() => {
      const { drawChart } = window as unknown as { drawChart: ChartDrawer }
      const place = document.body.appendChild(document.createElement('div'))
      place.style.height = '300px'
      const colors = {
        text: '#000',
        muted: '#555',
        line: '#ccc',
        background: '#fff',
        font: 'serif',
        isDark: false,
        palette: ['#123456'],
      }
      const option = { xAxis: { data: ['a'] }, yAxis: {}, series: [{ type: 'bar', data: [1] }] }
      const takeAway = drawChart(place, { option }, { colors, locale: 'en', isStill: true })
      const bars = place.querySelectorAll('svg path[fill="#123456"]').length
      takeAway()
      return [bars, place.childElementCount]
    })
    expect(drawn).toEqual([1, 0])
    expect(partsOf(asked)).toEqual([`${parley}/embed/charts.js`])
  })
})

describe('the server offers them', () => {
  test.each(['highlight.js', 'math.js', 'math-font.js', 'charts.js', 'mermaid.js'])(
    '%s to pages of an allowed origin, packed and cached',
    async (name) => {
      const url = `${parley}/embed/${name}`
      const first = await fetch(url, { headers: { origin: site } })
      expect(first.status).toBe(200)
      expect(Object.fromEntries(first.headers)).toMatchObject({
        'content-type': 'text/javascript; charset=utf-8',
        'access-control-allow-origin': site,
        'content-encoding': 'gzip',
        vary: 'Origin, Accept-Encoding',
        'cache-control': 'public, max-age=300',
      })
      const text = await first.text()
      expect(text).toMatch(/export/)
      const plain = await fetch(url, { headers: { 'accept-encoding': 'identity' } })
      expect(plain.headers.get('content-encoding')).toBe(null)
      expect(await plain.text()).toBe(text)
      const again = await fetch(url, { headers: { 'if-none-match': first.headers.get('etag')! } })
      expect(again.status).toBe(304)
    },
  )

  test.each(['nothing.js', 'embed.js', '..%2f..%2fpackage.json', '%2e%2e%2fmermaid.js'])(
    'and nothing called %s',
    async (name) => {
      const response = await fetch(`${parley}/embed/${name}`)
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ code: 'not_found' })
    },
  )
})
