import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ATTRIBUTES } from '../../../chatkit/src/element/chat-settings.ts'
import { GUIDE_STYLE } from '../../src/faces/docs/guide-style.ts'
import { PAGES } from '../../src/faces/docs/guide-words.ts'
import { sharedWorld } from '../wire/world.ts'
import { blocksOf, GUIDE, guidePages, includedIn, ROOT } from './guide-pages.ts'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

test('[W12.9] both languages have the same pages, with the same parts, code and tables', () => {
  for (const name of PAGES) {
    const [en, zh] = (['en', 'zh'] as const).map(
      (language) => guidePages.find((page) => page.language === language && page.name === name)!.text,
    ) as [string, string]
    const shapeOf = (text: string) =>
      text.split('\n').flatMap((line) => /^(?:#+ |```\S* ?\S*|\| `data|\|---)/.exec(line)?.[0] ?? [])
    expect([name, shapeOf(zh)]).toEqual([name, shapeOf(en)])
  }
  expect(guidePages).toHaveLength(PAGES.length * 2)
})

test('[W12.9] all code of the guide is in files, every file is there and shown', () => {
  const shown = new Set<string>()
  for (const { language, name, text } of guidePages) {
    const loose = blocksOf(text).filter((info) => !/^\w+ file=code\/[\w.-]+$/.test(info))
    expect([language, name, loose]).toEqual([language, name, []])
    for (const path of includedIn(text)) {
      expect([path, existsSync(join(GUIDE, path))]).toEqual([path, true])
      shown.add(path.slice('code/'.length))
    }
  }
  expect([...shown].toSorted()).toEqual(readdirSync(join(GUIDE, 'code')).toSorted())
})

test('[W12.9] the commands that prove something are there', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  for (const { text } of guidePages)
    for (const [, script, path] of text.matchAll(/`npm (?:run )?([\w-]+)(?: -- ([\w/.-]+))?[^`]*`/g)) {
      expect(Object.keys(scripts)).toContain(script)
      if (path?.startsWith('packages')) expect([path, existsSync(join(ROOT, `${path}.test.ts`))]).toEqual([path, true])
    }
})

test('[W12.9] the tables name the attributes that there are', () => {
  const embed = read('packages/chatkit/src/element/embed-options.ts')
  const data = [...embed.matchAll(/\btext\('(\w+)'\)/g)].map(([, name]) => name!).filter((name) => name !== 'language')
  const dashed = data.map((name) => `data-${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`)
  for (const { name, text } of guidePages.filter((page) => page.name === 'reference')) {
    const rows = [...text.matchAll(/^\| (?:`(data-[\w-]+)`|–) \| (?:`([\w-]+)`|–) \|/gm)]
    expect([name, rows.flatMap(([, script]) => script ?? []).toSorted()]).toEqual([
      name,
      [...new Set(dashed)].toSorted(),
    ])
    expect(rows.flatMap(([, , element]) => element ?? []).toSorted()).toEqual([...ATTRIBUTES].toSorted())
  }
})

test('[W12.9] the guide has the colours of the console', () => {
  const tokens = read('apps/console/src/theme/tokens.css')
  const own = [...GUIDE_STYLE.matchAll(/(--[\w-]+):light-dark\((#\w+),(#\w+)\)/g)]
  expect(own.length).toBeGreaterThan(5)
  for (const [, name, light, dark] of own) expect(tokens).toContain(`${name}: light-dark(${light}, ${dark});`)
})

describe('served', () => {
  const world = sharedWorld()
  const open = (path: string, language = 'en') =>
    fetch(world().url + path, { redirect: 'manual', headers: { 'accept-language': language, accept: 'text/html' } })

  test('[W12.9] /docs leads to the reader’s language, and every address to one spelling', async () => {
    for (const [path, language, to] of [
      ['/docs', 'zh-CN', '/docs/zh/'],
      ['/docs', 'en-GB', '/docs/en/'],
      ['/docs/zh', 'en', '/docs/zh/'],
      ['/docs/en/quick-start', 'zh', '/docs/en/'],
    ] as const) {
      const reply = await open(path, language)
      expect([path, reply.status, reply.headers.get('location')]).toEqual([path, 302, to])
    }
    expect((await open('/docs')).headers.get('vary')).toContain('Accept-Language')
    for (const path of ['/docs/fr/', '/docs/en/nothing', '/docs/en/concepts/more', '/docs/en/..%2fcode'])
      expect([path, (await open(path)).status]).toEqual([path, 404])
  })

  test('[W12.9] every link of every page leads somewhere on this server, and nothing is loaded from elsewhere', async () => {
    const pages = new Map<string, string>()
    const load = async (address: string): Promise<string> => {
      const known = pages.get(address)
      if (known !== undefined) return known
      const reply = await open(address)
      // The console is built by another step.
      expect([address, [200, ...(address === '/' ? [503] : [])].includes(reply.status)]).toEqual([address, true])
      const text = await reply.text()
      pages.set(address, text)
      return text
    }
    for (const { language, name } of guidePages) {
      const address = `/docs/${language}/${name === PAGES[0] ? '' : name}`
      const reply = await open(address)
      expect([address, reply.headers.get('content-type')]).toEqual([address, 'text/html; charset=utf-8'])
      const policy = reply.headers.get('content-security-policy')!
      expect(policy).toContain("default-src 'none'")
      expect(policy).not.toContain('unsafe')
      const html = await load(address)
      expect(html).not.toMatch(/<script|\sstyle=|\son\w+=|file=|<h[1-6]>\s*</)
      expect(html).toContain(`<html lang="${language === 'zh' ? 'zh-CN' : 'en'}">`)
      for (const [, href] of html.matchAll(/(?:href|src)="([^"]*)"/g)) {
        if (href === 'data:,') continue
        const target = new URL(href!.replaceAll('&amp;', '&'), world().url + address)
        expect([address, target.origin]).toEqual([address, world().url])
        const text = await load(target.pathname)
        const id = decodeURIComponent(target.hash.slice(1))
        if (id !== '') expect([address, href, text.includes(`id="${id}"`)]).toEqual([address, href, true])
      }
    }
  })

  test('[W12.9] code is shown as it stands in its file', async () => {
    const html = await (await open('/docs/en/tools')).text()
    expect(html).toContain('<figcaption>order-status.ts</figcaption>')
    expect(html).toContain('order: z.string().regex(/^A-\\d+$/)')
    expect(await (await open('/docs/zh/embedding')).text()).toContain('&lt;title&gt;Shop&lt;/title&gt;')
  })
})
