import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { createEgress } from '../../../src/egress/egress.ts'
import { webFetch } from '../../../src/tools/web/web-fetch.ts'
import { resolver, startSite } from '../../egress/site.ts'
import { callTool } from './call-tool.ts'

// The site stands for a public one: allowed by its name, since nothing on this machine has a public address.
const NAME = 'site.test'

let open: AsyncDisposable[] = []
afterEach(async () => {
  for (const resource of open.reverse()) await resource[Symbol.asyncDispose]()
  open = []
})

test('a page comes as Markdown, with where it was found, its title and its type', async () => {
  const { fetch, site } = await pages({
    '/': (response) => response.writeHead(302, { location: '/tides' }).end(),
    '/tides': page('text/html; charset=utf-8', '<title>Tides</title><h1>High water</h1><p><a href="t">Six</a></p>'),
  })
  expect(await fetch('/')).toBe(`URL: ${site.at(NAME, '/tides')}
Title: Tides
Content-Type: text/html; charset=utf-8

# High water

[Six](${site.at(NAME, '/t')})`)
})

test('a page in GBK is readable', async () => {
  const bytes = Buffer.concat([
    Buffer.from('<meta charset="gb2312"><title>'),
    Buffer.from([0xd6, 0xd0, 0xce, 0xc4]),
    Buffer.from('</title><p>'),
    Buffer.from([0xc4, 0xe3, 0xba, 0xc3]),
  ])
  const { fetch } = await pages({ '/': page('text/html', bytes) })
  expect(await fetch('/')).toMatch(/Title: 中文\n.*\n\n你好$/s)
})

test('a compressed page is readable', async () => {
  const { fetch } = await pages({
    '/': (response) =>
      response
        .writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' })
        .end(gzipSync('<p>small</p>')),
  })
  expect(await fetch('/')).toMatch(/\n\nsmall$/)
})

test.each([
  ['application/json', '{"a": [1]}'],
  ['application/problem+json; charset=utf-8', '{"a":1}'],
  ['text/plain', '<p>as it is</p>'],
  ['text/csv', 'a,b'],
  ['application/rss+xml', '<rss/>'],
])('%s comes as it is and is told as such', async (type, body) => {
  const { fetch, site } = await pages({ '/': page(type, body) })
  expect(await fetch('/')).toBe(`URL: ${site.at(NAME, '/')}\nContent-Type: ${type}\n\n${body}`)
})

test('a page that does not say its type is recognised', async () => {
  const { fetch } = await pages({ '/': page(undefined, '<!DOCTYPE html><p>Hi <b>there</b></p>') })
  expect(await fetch('/')).toMatch(/Content-Type: not given\n\nHi \*\*there\*\*$/)
})

test.each([
  ['application/pdf', 'is a PDF document. WebFetch reads HTML, text and JSON only'],
  ['image/png', 'is a binary file of type image/png.'],
  ['application/octet-stream', 'is a binary file of type application/octet-stream.'],
  ['application/zip; x=1', 'is a binary file of type application/zip.'],
])('%s is refused by its name, before it has arrived', async (type, message) => {
  const { fetch, site } = await pages({
    '/': (response) => void response.writeHead(200, { 'content-type': type }).write('x'),
  })
  const closed = site.nextClose()
  await expect(fetch('/')).rejects.toThrow(`${site.at(NAME, '/')} ${message}`)
  await closed
})

test.each([
  ['a PDF that calls itself text', page('text/plain', '%PDF-1.7 …'), 'is a PDF document'],
  ['a program without a type', page(undefined, 'ELF\0\0\0'), 'is a binary file.'],
])('%s is refused', async (_what, answer, message) => {
  const { fetch } = await pages({ '/': answer })
  await expect(fetch('/')).rejects.toThrow(message)
})

test.each([401, 404, 500])('a page with status %i is an error that says so', async (status) => {
  const { fetch, site } = await pages({
    '/': (response) => response.writeHead(status, { 'content-type': 'text/html' }).end('x'),
  })
  await expect(fetch('/')).rejects.toThrow(`${site.at(NAME, '/')} answered with status ${status}.`)
})

test('a text too long for the model is cut, and the model is told', async () => {
  const { fetch } = await pages({ '/': page('text/plain', 'x'.repeat(150_000)) })
  const result = await fetch('/')
  expect(result).toContain('\nCut: the text has 150000 characters; the first 100000 are shown.\n\nx')
  expect(result.match(/x{1000,}/)?.[0]).toHaveLength(100_000)
})

test('a page too large to read is cut, and the model is told', async () => {
  const { fetch } = await pages({ '/': page('text/html', `<p>start</p>${'<i></i>'.repeat(500_000)}`) })
  const result = await fetch('/')
  expect(result).toContain('\nCut: the page is larger than 2097152 bytes; the rest was not read.\n')
  expect(result).toContain('\n\nstart')
})

test('a page without text says so', async () => {
  const { fetch } = await pages({ '/': page('text/html', '<div></div>') })
  expect(await fetch('/')).toMatch(/\n\n\(The page has no text\.\)$/)
})

test.each([
  ['http://169.254.169.254/latest/meta-data/', '169.254.169.254 is not on the public internet'],
  ['http://[::1]:8020/api/config', '[::1] is not on the public internet'],
  ['http://localhost/', 'localhost is not on the public internet'],
  ['file:///etc/passwd', 'Only http and https addresses can be asked, not file:'],
  ['not a url', '"not a url" is not a valid URL.'],
])('%s is refused with a reason', async (url, message) => {
  const egress = createEgress()
  open.push(egress)
  await expect(callTool(webFetch({ egress }), { url })).rejects.toThrow(message)
})

test('a page that redirects inside is refused', async () => {
  const { fetch, site } = await pages({
    '/': (response) => response.writeHead(302, { location: site.at('127.0.0.1', '/secret') }).end(),
    '/secret': page('text/plain', 'secret'),
  })
  await expect(fetch('/')).rejects.toThrow('127.0.0.1 is not on the public internet')
})

test('a site that is too slow is an error that says so', async () => {
  const { fetch } = await pages(
    { '/': (response) => void response.writeHead(200, { 'content-type': 'text/html' }).write('x') },
    200,
  )
  await expect(fetch('/')).rejects.toThrow('took longer than 0.2 s')
})

test('stop reaches a fetch that hangs, and its connection closes', async () => {
  const asked = Promise.withResolvers<void>()
  const { fetch, site } = await pages({ '/': () => asked.resolve() })
  const stop = new AbortController()
  const closed = site.nextClose()
  const result = fetch('/', stop.signal)
  await asked.promise
  stop.abort()
  await expect(result).rejects.toMatchObject({ name: 'AbortError' })
  await closed
})

test('a call without a URL goes back to the model as a sentence', async () => {
  const { tool } = await pages({})
  expect(tool.check({})).toEqual({ ok: false, message: expect.stringMatching(/^WebFetch was called with .*url/) })
})

test('it changes nothing, is of low risk and may be run again', async () => {
  const { tool } = await pages({})
  expect(tool).toMatchObject({
    provider: 'webfetch',
    risk: 'low',
    readOnly: true,
    replay: 'safe',
    requiresConfirmation: false,
  })
})

async function pages(answers: Record<string, (response: ServerResponse) => unknown>, timeoutMs?: number) {
  const site = await startSite((request, response) => void answers[request.url!]!(response))
  const egress = createEgress({ resolve: resolver({ [NAME]: ['127.0.0.1'] }), allow: [NAME] })
  open.push(site, egress)
  const tool = webFetch({ egress, ...(timeoutMs ? { timeoutMs } : {}) })
  const fetch = async (path: string, signal?: AbortSignal) =>
    (await callTool(tool, { url: site.at(NAME, path) }, signal)) as string
  return { site, tool, fetch }
}

function page(type: string | undefined, body: string | Buffer) {
  return (response: ServerResponse) => response.writeHead(200, type ? { 'content-type': type } : {}).end(body)
}
