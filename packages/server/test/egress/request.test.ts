import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'
import { createGzip, gzipSync } from 'node:zlib'
import { Readable } from 'node:stream'
import { afterEach, expect, test } from 'vitest'
import { createEgress } from '../../src/egress/egress.ts'
import type { EgressRequest } from '../../src/egress/request.ts'
import { resolver, startSite } from './site.ts'

// Nothing on this machine has a public address, so a site that stands for a public one is let through by the allow-list,
// by its name; everything that must be refused is refused by the same rules as everywhere.
const PUBLIC = 'public.test'

let open: AsyncDisposable[] = []
afterEach(async () => {
  for (const resource of open.reverse()) await resource[Symbol.asyncDispose]()
  open = []
})

test('a public page is read, and asked for under its own name', async () => {
  const site = await siteOf((_request, response) => response.setHeader('x-a', '1').end('hello'))
  const { status, url, body, headers, isTruncated } = await egressFor().request(site.at(PUBLIC, '/a?b=1#c'), options())
  expect({ status, url: url.href, text: text(body), header: headers.get('x-a'), isTruncated }).toEqual({
    status: 200,
    url: site.at(PUBLIC, '/a?b=1#c'),
    text: 'hello',
    header: '1',
    isTruncated: false,
  })
  expect(site.requests).toMatchObject([{ host: `${PUBLIC}:${site.port}`, path: '/a?b=1', method: 'GET' }])
})

test('a name that leads to this machine is refused without a connection', async () => {
  const site = await siteOf((_request, response) => response.end('secret'))
  await expect(egressFor().request(site.at('inside.test'), options())).rejects.toMatchObject({
    code: 'refused_host',
    message: 'inside.test (127.0.0.1) is not on the public internet, so it is not asked.',
  })
  expect(site.requests).toEqual([])
})

test('one private address among public ones refuses the name', async () => {
  const site = await siteOf((_request, response) => response.end('secret'))
  await expect(egressFor().request(site.at('mixed.test'), options())).rejects.toMatchObject({ code: 'refused_host' })
  expect(site.requests).toEqual([])
})

test.each([
  ['an address', (port: number) => `http://127.0.0.1:${port}/`],
  ['an address in hex', (port: number) => `http://0x7f000001:${port}/`],
  ['a mapped address', (port: number) => `http://[::ffff:127.0.0.1]:${port}/`],
  ['the metadata address', () => 'http://169.254.169.254/latest/'],
  ['localhost', (port: number) => `http://localhost:${port}/`],
  ['a name that leads inside', (port: number) => `http://inside.test:${port}/`],
  ['a name with one address inside', (port: number) => `//mixed.test:${port}/`],
])('a redirect from a public page to %s is refused', async (_what, target) => {
  const site = await siteOf((request, response) => {
    if (request.url === '/') response.writeHead(302, { location: target(site.port) }).end()
    else response.end('secret')
  })
  await expect(egressFor().request(site.at(PUBLIC), options())).rejects.toMatchObject({ code: 'refused_host' })
  expect(site.requests).toHaveLength(1)
})

test.each(['file:///etc/passwd', 'javascript:1', 'http://user:pw@public.test/', 'http://public.test:25/', 'http://['])(
  'a redirect to %s is refused',
  async (location) => {
    const site = await siteOf((_request, response) => response.writeHead(301, { location }).end())
    await expect(egressFor().request(site.at(PUBLIC), options())).rejects.toMatchObject({ code: 'refused_url' })
  },
)

test('the address that was checked is the one connected to, when the name leads elsewhere a moment later', async () => {
  const site = await siteOf((request, response) =>
    response.setHeader('connection', 'close').end(`asked at ${request.socket.localAddress}`),
  )
  const inside = await siteOf((_request, response) => response.end('secret'), { host: '127.0.0.2', port: site.port })
  const resolve = resolver({ 'rebind.test': [['127.0.0.1'], ['127.0.0.2']] })
  const egress = egressFor({ resolve, allow: ['127.0.0.1/32'] })

  const { body } = await egress.request(site.at('rebind.test'), options())
  expect(text(body)).toBe('asked at 127.0.0.1')
  expect(resolve.asked).toEqual(['rebind.test'])
  await expect(egress.request(site.at('rebind.test'), options())).rejects.toMatchObject({ code: 'refused_host' })
  expect(inside.requests).toEqual([])
})

test('a page that redirects to itself is resolved and checked again each time', async () => {
  const site = await siteOf((request, response) => {
    response.setHeader('connection', 'close')
    if (request.url === '/') response.writeHead(302, { location: '/again' }).end()
    else response.end('secret')
  })
  const resolve = resolver({ 'rebind.test': [['127.0.0.1'], ['127.0.0.2']] })
  const egress = egressFor({ resolve, allow: ['127.0.0.1/32'] })
  await expect(egress.request(site.at('rebind.test'), options())).rejects.toMatchObject({ code: 'refused_host' })
  expect(site.requests).toHaveLength(1)
})

test('what the operator configured may be private, and what it redirects to elsewhere may not', async () => {
  const site = await siteOf((request, response) => {
    if (request.url === '/here') response.writeHead(302, { location: '/search' }).end()
    else if (request.url === '/there') response.writeHead(302, { location: site.at('other.inside.test') }).end()
    else response.end('found')
  })
  const egress = egressFor()
  const configured = options({ trust: 'configured' })
  expect(text((await egress.request(site.at('inside.test', '/here'), configured)).body)).toBe('found')
  expect(text((await egress.request(site.at('127.0.0.1'), configured)).body)).toBe('found')
  await expect(egress.request(site.at('inside.test', '/there'), configured)).rejects.toMatchObject({
    code: 'refused_host',
  })
})

test('a denied range holds for what the operator configured', async () => {
  const site = await siteOf((_request, response) => response.end('secret'))
  const egress = egressFor({ deny: ['127.0.0.0/8'] })
  const asked = egress.request(site.at('inside.test'), options({ trust: 'configured' }))
  await expect(asked).rejects.toMatchObject({ code: 'refused_host' })
})

test('keys and cookies stay with the origin they were meant for', async () => {
  const site = await siteOf((request, response) => {
    if (request.url === '/a') response.writeHead(302, { location: '/b' }).end()
    else if (request.url === '/b') response.writeHead(302, { location: site.at('other.test', '/c') }).end()
    else response.end()
  })
  const headers = { Authorization: 'Bearer k', Cookie: 'a=b', 'X-Api-Key': 'k', Accept: 'text/html' }
  await egressFor().request(site.at(PUBLIC, '/a'), options({ headers }))
  const kept = { authorization: 'Bearer k', cookie: 'a=b', 'x-api-key': 'k', accept: 'text/html' }
  expect(site.requests.map((request) => request.headers)).toMatchObject([kept, kept, { accept: 'text/html' }])
  expect(Object.keys(site.requests[2]!.headers)).not.toContain('authorization')
  expect(Object.keys(site.requests[2]!.headers)).not.toContain('cookie')
  expect(Object.keys(site.requests[2]!.headers)).not.toContain('x-api-key')
})

test.each([
  [302, 'GET', ''],
  [303, 'GET', ''],
  [307, 'POST', 'hi'],
  [308, 'POST', 'hi'],
] as const)('after a %i what was posted arrives as %s', async (status, method, body) => {
  const site = await siteOf((request, response) => {
    if (request.url === '/') response.writeHead(status, { location: '/next' }).end()
    else response.end()
  })
  await egressFor().request(site.at(PUBLIC), options({ method: 'POST', body: 'hi' }))
  expect(site.requests[1]).toMatchObject({ path: '/next', method, body })
})

test('what was posted is not passed on to another host', async () => {
  const site = await siteOf((_request, response) =>
    response.writeHead(307, { location: site.at('other.test', '/take') }).end(),
  )
  const asked = egressFor().request(site.at(PUBLIC), options({ method: 'POST', body: 'a key' }))
  await expect(asked).rejects.toMatchObject({ code: 'refused_url' })
  expect(site.requests).toHaveLength(1)
})

test('five redirects are followed and a sixth is not', async () => {
  const site = await siteOf((request, response) => {
    const left = Number(request.url?.slice(1))
    if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end()
    else response.end('there')
  })
  expect(text((await egressFor().request(site.at(PUBLIC, '/5'), options())).body)).toBe('there')
  await expect(egressFor().request(site.at(PUBLIC, '/6'), options())).rejects.toMatchObject({
    code: 'too_many_redirects',
    message: `${PUBLIC}:${site.port} redirects more than 5 times.`,
  })
})

test('a body of exactly the limit is whole, and one byte more is cut', async () => {
  const site = await siteOf((request, response) => response.end('x'.repeat(Number(request.url?.slice(1)))))
  const egress = egressFor()
  const ask = async (size: number) => {
    const { body, isTruncated } = await egress.request(site.at(PUBLIC, `/${size}`), options({ maxBytes: 1000 }))
    return [body.length, isTruncated]
  }
  expect(await ask(1000)).toEqual([1000, false])
  expect(await ask(1001)).toEqual([1000, true])
})

test('an endless compressed body is cut at the limit and its connection closed', async () => {
  const block = Buffer.alloc(1024 * 1024)
  const site = await siteOf((_request, response) => {
    response.setHeader('content-encoding', 'gzip')
    // Not endless in earnest: a client that read on would get a gigabyte and the test its answer.
    Readable.from(
      (function* () {
        for (let count = 0; count < 1024; count++) yield block
      })(),
    )
      .pipe(createGzip())
      .pipe(response)
  })
  const closed = site.nextClose()
  const { body, isTruncated } = await egressFor().request(site.at(PUBLIC), options({ maxBytes: 100_000 }))
  expect({ length: body.length, isTruncated }).toEqual({ length: 100_000, isTruncated: true })
  await closed
})

test('a compressed body inside a compressed body is counted as it comes out', async () => {
  const twice = gzipSync(gzipSync(Buffer.alloc(20_000_000)))
  const site = await siteOf((_request, response) => response.setHeader('content-encoding', 'gzip, gzip').end(twice))
  const { body, isTruncated } = await egressFor().request(site.at(PUBLIC), options({ maxBytes: 100_000 }))
  expect({ length: body.length, isTruncated }).toEqual({ length: 100_000, isTruncated: true })
})

test('an answer that inspection refuses is let go before its body', async () => {
  const site = await siteOf(
    (_request, response) => void response.writeHead(200, { 'content-type': 'video/mp4' }).write('x'),
  )
  const closed = site.nextClose()
  const inspect = () => {
    throw new Error('no films')
  }
  await expect(egressFor().request(site.at(PUBLIC), options({ inspect }))).rejects.toThrow('no films')
  await closed
})

test.each(['never answers', 'answers with half a body', 'redirects for ever, slowly'])(
  'the time limit holds for a site that %s',
  async (how) => {
    const site = await siteOf((_request, response) => {
      if (how.startsWith('answers')) response.write('half')
      if (how.startsWith('redirects')) setTimeout(() => response.writeHead(302, { location: '/' }).end(), 60)
    })
    const asked = egressFor().request(site.at(PUBLIC), options({ timeoutMs: 200, maxRedirects: 1000 }))
    await expect(asked).rejects.toMatchObject({
      code: 'timeout',
      message: `${PUBLIC}:${site.port} took longer than 0.2 s.`,
    })
  },
)

test.each(['resolving', 'waiting', 'reading'])('an abort while %s ends the request at once', async (when) => {
  const asked = Promise.withResolvers<void>()
  const site = await siteOf((_request, response) => {
    if (when === 'reading') response.write('half')
    asked.resolve()
  })
  const resolve = () => {
    asked.resolve()
    return new Promise<never>(() => {})
  }
  const stop = new AbortController()
  const egress = egressFor(when === 'resolving' ? { resolve } : {})
  const request = egress.request(site.at(PUBLIC), options({ signal: stop.signal, timeoutMs: 15_000 }))
  const closed = site.nextClose()
  await asked.promise
  const from = performance.now()
  stop.abort(new Error('stopped by the user'))
  await expect(request).rejects.toThrow('stopped by the user')
  expect(performance.now() - from).toBeLessThan(1_000)
  if (when !== 'resolving') await closed
})

test('a host that nobody knows and one where nobody listens are told apart', async () => {
  const site = await siteOf(() => {})
  await site[Symbol.asyncDispose]()
  open = open.filter((resource) => resource !== site)
  await expect(egressFor().request('http://nowhere.test/', options())).rejects.toMatchObject({
    code: 'not_found',
    message: 'There is no host named nowhere.test.',
  })
  await expect(egressFor().request(site.at(PUBLIC), options())).rejects.toMatchObject({
    code: 'network',
    message: `${PUBLIC}:${site.port} cannot be reached (ECONNREFUSED).`,
  })
})

test('over https the name is shown to the address that was checked', async () => {
  const asked: (string | undefined)[] = []
  const server = createServer({
    SNICallback(name, callback) {
      asked.push(name)
      callback(new Error('no certificate'))
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await expect(egressFor().request(`https://${PUBLIC}:${port}/`, options())).rejects.toMatchObject({ code: 'network' })
  await expect(egressFor().request(`https://inside.test:${port}/`, options())).rejects.toMatchObject({
    code: 'refused_host',
  })
  expect(asked).toEqual([PUBLIC])
  server.close()
})

test('a port that browsers refuse is refused', async () => {
  await expect(egressFor().request(`http://${PUBLIC}:6667/`, options())).rejects.toMatchObject({ code: 'network' })
})

async function siteOf(...given: Parameters<typeof startSite>) {
  const site = await startSite(...given)
  open.push(site)
  return site
}

function egressFor(given: Parameters<typeof createEgress>[0] = {}) {
  const resolve = resolver({
    [PUBLIC]: ['127.0.0.1'],
    'other.test': ['127.0.0.1'],
    'inside.test': ['127.0.0.1'],
    'other.inside.test': ['127.0.0.1'],
    'mixed.test': ['93.184.216.34', '127.0.0.1'],
  })
  const egress = createEgress({ resolve, allow: [PUBLIC, 'other.test'], ...given })
  open.push(egress)
  return egress
}

function options(given: Partial<EgressRequest> = {}): EgressRequest {
  return { signal: new AbortController().signal, timeoutMs: 5_000, maxBytes: 1_000_000, ...given }
}

function text(body: Uint8Array): string {
  return Buffer.from(body).toString()
}
