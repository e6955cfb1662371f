import type { ServerResponse } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { createEgress } from '../../../src/egress/egress.ts'
import { searchOptionsSchema, type SearchOptions } from '../../../src/tools/web/search-options.ts'
import { webSearch } from '../../../src/tools/web/web-search.ts'
import { webTools } from '../../../src/tools/web/web-tools.ts'
import { startSite } from '../../egress/site.ts'
import { callTool } from './call-tool.ts'

const KEY = 'sk-very-secret'

let open: AsyncDisposable[] = []
afterEach(async () => {
  for (const resource of open.reverse()) await resource[Symbol.asyncDispose]()
  open = []
})

test('SearXNG is asked for JSON and its results are told in one shape', async () => {
  const { site, search } = await engine(
    'searxng',
    json({
      query: '潮汐',
      number_of_results: 0,
      results: [
        {
          url: 'https://example.org/tides',
          title: 'Tide  table',
          content: 'High water\nat six',
          engine: 'duckduckgo',
          engines: ['duckduckgo'],
          parsed_url: ['https', 'example.org', '/tides', '', '', ''],
          score: 1,
          category: 'general',
          publishedDate: null,
        },
        { url: 'https://example.com/', title: '', content: null },
        { url: 'javascript:alert(1)', title: 'bad' },
        { url: 'magnet:?xt=1', title: 'bad' },
      ],
      answers: [],
      corrections: [],
      infoboxes: [],
      suggestions: [],
      unresponsive_engines: [],
    }),
  )
  expect(await search('潮汐')).toEqual({
    query: '潮汐',
    results: [
      {
        title: 'Tide table',
        link: 'https://example.org/tides',
        content: 'High water at six',
        media: 'example.org',
        icon: '',
      },
      { title: 'https://example.com/', link: 'https://example.com/', content: '', media: 'example.com', icon: '' },
    ],
  })
  expect(site.requests).toMatchObject([
    { method: 'GET', path: `/below/search?q=${encodeURIComponent('潮汐')}&format=json` },
  ])
  expect(site.requests[0]!.headers).not.toHaveProperty('authorization')
})

test.each([
  ['user:password', `Basic ${Buffer.from('user:password').toString('base64')}`],
  ['token', 'Bearer token'],
])('SearXNG behind a proxy gets %s as it wants it', async (key, authorization) => {
  const { site, search } = await engine('searxng', json({ results: [] }), { key })
  await search('x')
  expect(site.requests[0]!.headers).toMatchObject({ authorization })
})

test('Tavily is asked with its key and its results are told in one shape', async () => {
  const { site, search } = await engine(
    'tavily',
    json({
      query: 'tides',
      follow_up_questions: null,
      answer: null,
      images: [],
      results: [
        {
          title: 'Tides',
          url: 'https://example.org/t',
          content: 'six',
          score: 0.9,
          raw_content: null,
          favicon: 'https://example.org/i.png',
        },
        {
          title: 'More',
          url: 'https://example.com/m',
          content: 'seven',
          score: 0.8,
          raw_content: null,
          favicon: 'data:image/png;base64,AA',
        },
      ],
      response_time: 1.2,
      request_id: 'r',
    }),
  )
  expect(await search('tides')).toEqual({
    query: 'tides',
    results: [
      {
        title: 'Tides',
        link: 'https://example.org/t',
        content: 'six',
        media: 'example.org',
        icon: 'https://example.org/i.png',
      },
      { title: 'More', link: 'https://example.com/m', content: 'seven', media: 'example.com', icon: '' },
    ],
  })
  const [{ method, path, headers, body }] = site.requests as [(typeof site.requests)[0]]
  expect({ method, path, authorization: headers['authorization'], type: headers['content-type'] }).toEqual({
    method: 'POST',
    path: '/below/search',
    authorization: `Bearer ${KEY}`,
    type: 'application/json',
  })
  expect(JSON.parse(body)).toEqual({ query: 'tides', max_results: 10, include_favicon: true })
})

test('Brave is asked with its token and its results are told in one shape', async () => {
  const { site, search } = await engine(
    'brave',
    json({
      type: 'search',
      query: { original: 'tides', more_results_available: true },
      mixed: { type: 'mixed', main: [] },
      web: {
        type: 'search',
        results: [
          {
            title: 'Tides &amp; <strong>moons</strong>',
            url: 'https://example.org/t',
            description: 'It&#x27;s <strong>six</strong> &lt;b&gt;',
            profile: {
              name: 'Harbour',
              url: 'https://example.org',
              long_name: 'example.org',
              img: 'https://imgs.test/p.png',
            },
            meta_url: {
              scheme: 'https',
              netloc: 'example.org',
              hostname: 'example.org',
              favicon: 'https://imgs.test/f.png',
              path: '› t',
            },
            language: 'en',
            family_friendly: true,
          },
          { title: 'Bare', url: 'https://example.com/b' },
        ],
      },
    }),
  )
  expect(await search('tides & moons')).toEqual({
    query: 'tides & moons',
    results: [
      {
        title: 'Tides & moons',
        link: 'https://example.org/t',
        content: "It's six <b>",
        media: 'Harbour',
        icon: 'https://imgs.test/f.png',
      },
      { title: 'Bare', link: 'https://example.com/b', content: '', media: 'example.com', icon: '' },
    ],
  })
  expect(site.requests).toMatchObject([
    {
      method: 'GET',
      path: '/below/res/v1/web/search?q=tides+%26+moons&count=10&text_decorations=false',
      headers: { 'x-subscription-token': KEY, accept: 'application/json' },
    },
  ])
})

test('Brave leaves the web out when it has found nothing', async () => {
  const { search } = await engine('brave', json({ type: 'search', query: { original: 'x' } }))
  expect(await search('x')).toEqual({ query: 'x', results: [] })
})

test.each(['searxng', 'tavily', 'brave'] as const)(
  '%s: at most ten results, none of them endless',
  async (provider) => {
    const hit = {
      url: 'https://example.org/',
      title: 'x'.repeat(9_000),
      content: 'y'.repeat(9_000),
      description: 'y'.repeat(9_000),
    }
    const results = Array.from({ length: 30 }, () => hit)
    const { search } = await engine(provider, json({ type: 'search', results, web: { results } }))
    const answer = (await search('x')) as { results: { title: string; content: string }[] }
    expect(answer.results).toHaveLength(10)
    expect([answer.results[0]!.title.length, answer.results[0]!.content.length]).toEqual([300, 2_000])
  },
)

const PROVIDERS = ['searxng', 'tavily', 'brave'] as const
const FAILURES: [string, (response: ServerResponse) => unknown, RegExp][] = [
  ['401', failing(401), /answered with status 401\. .*check `search\.key`/],
  ['404', failing(404), /answered with status 404\. .*check `search\.url`/],
  ['429', failing(429), /answered with status 429\. .*wait a while/],
  ['500', failing(500), /answered with status 500\.$/],
  ['a page instead of JSON', (response) => response.end('<html>sign in</html>'), /no list of results/],
  ['JSON of another shape', json({ error: KEY, results: 'none' }), /no list of results/],
  ['half of the JSON', (response) => response.end('{"results": ['), /no list of results/],
  ['a hang-up', (response) => response.destroy(), /cannot be reached/],
  [
    'a redirect to another inside',
    (response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
    /10\.0\.0\.1 is not on the public internet/,
  ],
]

test.each(
  PROVIDERS.flatMap((provider) => FAILURES.map(([what, answer, message]) => ({ provider, what, answer, message }))),
)('$provider answering with $what is a readable error without the key', async ({ provider, answer, message }) => {
  const { search } = await engine(provider, answer, { key: KEY })
  const error = (await search('x').catch((caught: unknown) => caught)) as Error
  expect(error.message).toMatch(message)
  expect(`${error.message} ${error.stack} ${String(error.cause)}`).not.toContain(KEY)
})

test.each([
  ['searxng', 403, 'add `json` to `search.formats`'],
  ['tavily', 432, 'Its plan is used up.'],
  ['brave', 422, 'check `search.key`'],
] as const)('%s answering with %i says what to do', async (provider, status, hint) => {
  const { search } = await engine(provider, failing(status))
  await expect(search('x')).rejects.toThrow(hint)
})

test('an engine that says nothing is an error that says so', async () => {
  const { search } = await engine('tavily', () => undefined, { key: KEY, timeoutMs: 200 })
  await expect(search('x')).rejects.toThrow('took longer than 0.2 s')
})

test('stop reaches a search that hangs, and its connection closes', async () => {
  const asked = Promise.withResolvers<void>()
  const { site, search } = await engine('searxng', () => asked.resolve())
  const stop = new AbortController()
  const closed = site.nextClose()
  const result = search('x', stop.signal)
  await asked.promise
  stop.abort()
  await expect(result).rejects.toMatchObject({ name: 'AbortError' })
  await closed
})

test('without a configured engine there is no WebSearch, and with one there is', () => {
  const egress = createEgress()
  expect(webTools({ egress }).map(({ name }) => name)).toEqual(['WebFetch'])
  const tools = webTools({ egress, search: { provider: 'tavily', key: KEY } })
  expect(tools.map(({ name }) => name)).toEqual(['WebSearch', 'WebFetch'])
  expect(tools[0]).toMatchObject({ provider: 'search', risk: 'low', readOnly: true, replay: 'safe' })
  expect(JSON.stringify(tools)).not.toContain(KEY)
})

test.each<[boolean, object]>([
  [true, { provider: 'searxng', url: 'http://localhost:8888' }],
  [true, { provider: 'tavily', key: 'k' }],
  [true, { provider: 'brave', key: 'k', url: 'https://proxy.example.com' }],
  [false, { provider: 'searxng' }],
  [false, { provider: 'searxng', url: 'ftp://x' }],
  [false, { provider: 'tavily' }],
  [false, { provider: 'brave', key: '' }],
  [false, { provider: 'google', key: 'k' }],
  [false, { provider: 'tavily', key: 'k', other: 1 }],
])('%s: %j is a configuration of a search engine', (isValid, options) => {
  expect(searchOptionsSchema.safeParse(options).success).toBe(isValid)
})

async function engine(
  provider: SearchOptions['provider'],
  answer: (response: ServerResponse) => unknown,
  { timeoutMs, ...more }: { key?: string; timeoutMs?: number } = provider === 'searxng' ? {} : { key: KEY },
) {
  const site = await startSite((_request, response) => void answer(response))
  const egress = createEgress()
  open.push(site, egress)
  const options = searchOptionsSchema.parse({ provider, url: site.at('127.0.0.1', '/below'), ...more })
  const tool = webSearch(options, { egress, ...(timeoutMs !== undefined && { timeoutMs }) })!
  return { site, search: (query: string, signal?: AbortSignal) => callTool(tool, { query }, signal) }
}

function json(value: unknown) {
  return (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** With the key in what it says, as some services do. */
function failing(status: number) {
  return (response: ServerResponse) =>
    response.writeHead(status).end(JSON.stringify({ detail: { error: `bad key ${KEY}` } }))
}
