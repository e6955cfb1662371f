import { type OutgoingHttpHeaders, request as httpRequest } from 'node:http'
import { expect, test } from 'vitest'
import { openFace } from './face.ts'

type Answer = { status: number; headers: Record<string, unknown>; body: string }

/** `fetch` chooses Host and Origin itself; this does not. */
async function raw(url: string, headers: OutgoingHttpHeaders, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers }, (response) => {
      let body = ''
      response.on('data', (chunk: Buffer) => (body += chunk.toString()))
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, body }))
    })
    request.on('upgrade', (response, socket) => {
      socket.destroy()
      resolve({ status: response.statusCode!, headers: response.headers, body: '' })
    })
    request.on('error', reject)
    request.end()
  })
}

const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

const TRANSPORTS = [
  { name: 'REST', path: '/api/version', extra: {}, ok: 200 },
  { name: 'polling', path: '/socket.io/?EIO=4&transport=polling', extra: {}, ok: 200 },
  { name: 'websocket', path: '/socket.io/?EIO=4&transport=websocket', extra: UPGRADE, ok: 101 },
]

test.each(TRANSPORTS)('$name: a Host that is not ours is refused', async ({ path, extra, ok }) => {
  await using face = await openFace({
    publicUrl: 'https://chat.example.com',
    allowedOrigins: ['https://app.example.com'],
  })
  const { host, port } = new URL(face.url)
  for (const good of [
    host,
    `localhost:${port}`,
    'localhost',
    `[::1]:${port}`,
    'parley.localhost:9',
    'chat.example.com',
    'app.example.com:444',
  ])
    expect(await raw(face.url + path, { ...extra, host: good })).toMatchObject({ status: ok })
  for (const bad of [
    'evil.example',
    'chat.example.com.evil.example',
    '10.0.0.1',
    `127.0.0.1.nip.io:${port}`,
    'localhost@evil.example',
    'localhost/x',
    'a;script-src.localhost',
    "a'b.localhost",
    'a,b.localhost',
  ]) {
    const answer = await raw(face.url + path, { ...extra, host: bad })
    expect(answer.status, bad).toBe(403)
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'forbidden', detail: expect.any(String) })
  }
})

test.each(TRANSPORTS)(
  '$name: an Origin that is not allowed is refused, an allowed one may read the answer',
  async ({ path, extra, ok }) => {
    await using face = await openFace({
      publicUrl: 'https://chat.example.com',
      allowedOrigins: ['https://app.example.com'],
    })
    const { host } = new URL(face.url)
    for (const origin of [face.url, 'https://chat.example.com', 'https://app.example.com']) {
      const answer = await raw(face.url + path, { ...extra, host, origin })
      expect(answer.status, origin).toBe(ok)
      if (ok === 200)
        expect(answer.headers).toMatchObject({
          'access-control-allow-origin': origin,
          'access-control-allow-credentials': 'true',
          vary: 'Origin',
        })
    }
    for (const origin of [
      'https://evil.example',
      'null',
      'http://localhost.evil.example',
      'http://127.0.0.1.nip.io:5173',
      'http://127.0.0.1@evil.example',
      'https://app.example.com.evil.example',
      'file://',
    ])
      expect((await raw(face.url + path, { ...extra, host, origin })).status, origin).toBe(403)
  },
)

const ON_THIS_MACHINE = ['http://localhost:5173', 'http://127.0.0.1:3000', 'http://[::1]:8080', 'http://app.localhost']

test.each(TRANSPORTS)(
  '$name: a page on this machine may come in, and its browser is told to send no cookie',
  async ({ path, extra, ok }) => {
    await using face = await openFace()
    const { host } = new URL(face.url)
    for (const origin of ON_THIS_MACHINE) {
      const answer = await raw(face.url + path, { ...extra, host, origin })
      expect(answer.status, origin).toBe(ok)
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials')
      if (ok === 200) expect(answer.headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' })
    }
  },
)

test('a page on this machine works with a token; a login cookie that comes along all the same counts for nothing', async () => {
  await using face = await openFace()
  const login = await face.auth.signIn(await face.auth.newSignInCode())
  const { host } = new URL(face.url)
  const cookie = `parley_login=${login}`
  const authorization = `Bearer ${face.key}`
  for (const origin of ON_THIS_MACHINE) {
    const get = (headers: OutgoingHttpHeaders) => raw(`${face.url}/api/sessions`, { host, origin, ...headers })
    expect((await get({ authorization })).status).toBe(200)
    expect((await get({ cookie })).status).toBe(401)
    await using client = await face.connect({ headers: { origin } })
    expect(await client.ask('session:subscribe', { session_id: face.session_id })).toMatchObject({ status: 'ok' })
    for (const transports of [['websocket'], ['polling']])
      await expect(face.connect({ token: null, transports, headers: { origin, cookie } })).rejects.toThrow(
        'unauthorized',
      )
  }
  // The page that the server itself delivered keeps its login.
  expect((await raw(`${face.url}/api/sessions`, { host, origin: face.url, cookie })).status).toBe(200)
})

test.each([
  ['REST', '/api/sessions'],
  ['polling', '/socket.io/?EIO=4&transport=polling'],
])('%s: a preflight is answered for allowed origins only', async (_name, path) => {
  await using face = await openFace({ allowedOrigins: ['https://app.example.com'] })
  const { host } = new URL(face.url)
  const preflight = { host, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' }
  const answer = await raw(face.url + path, { ...preflight, origin: 'https://app.example.com' }, 'OPTIONS')
  expect(answer).toMatchObject({
    status: 204,
    headers: { 'access-control-allow-headers': expect.stringContaining('Authorization') },
  })
  expect((await raw(face.url + path, { ...preflight, origin: 'https://evil.example' }, 'OPTIONS')).status).toBe(403)
})

test('a later request of a polling connection is checked like the first', async () => {
  await using face = await openFace()
  const { host } = new URL(face.url)
  const first = await raw(`${face.url}/socket.io/?EIO=4&transport=polling`, { host })
  const { sid } = JSON.parse(first.body.slice(1)) as { sid: string }
  const later = await raw(`${face.url}/socket.io/?EIO=4&transport=polling&sid=${sid}`, {
    host,
    origin: 'https://evil.example',
  })
  expect(later.status).toBe(403)
})

test('a change with a login cookie must come from a page we know', async () => {
  await using face = await openFace()
  const token = await face.auth.signIn(await face.auth.newSignInCode())
  const { host } = new URL(face.url)
  const cookie = { host, cookie: `parley_login=${token}` }
  const create = (headers: OutgoingHttpHeaders) => raw(`${face.url}/api/sessions`, headers, 'POST')
  expect((await create({ ...cookie, origin: face.url })).status).toBe(200)
  expect((await create({ ...cookie, 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  expect((await create({ ...cookie, 'sec-fetch-site': 'none' })).status).toBe(200)
  expect((await create({ ...cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await create(cookie)).status).toBe(403)
  expect((await create({ ...cookie, origin: 'https://evil.example' })).status).toBe(403)
  expect((await create({ host, authorization: `Bearer ${face.key}` })).status).toBe(200)
  expect((await raw(`${face.url}/api/sessions`, cookie)).status).toBe(200)
})

test('[W3] a body that is no JSON is 400, of another type 415, of the wrong shape 422 with a text and a list', async () => {
  await using face = await openFace()
  const post = (body: string, type = 'application/json') =>
    face.request('POST', '/api/user/api-keys', { body, headers: { 'content-type': type } })
  const broken = await post('{"name":')
  expect(broken.status).toBe(400)
  expect(await broken.json()).toMatchObject({ detail: expect.any(String), code: 'invalid_payload' })
  expect((await post('name=x', 'application/x-www-form-urlencoded')).status).toBe(415)
  expect((await post('hello', 'text/plain')).status).toBe(415)
  expect((await post('{"__proto__":{"name":"x"}}')).status).toBe(400)
  for (const body of ['{"name":""}', '{"name":7}', '[]', 'null', '', `{"name":"${'x'.repeat(51)}"}`]) {
    const wrong = await post(body)
    expect(wrong.status, body).toBe(422)
    const answer = (await wrong.json()) as { errors: unknown[] }
    expect(answer).toMatchObject({ detail: expect.any(String), code: 'invalid_payload' })
    expect(answer.errors[0]).toMatchObject({ loc: expect.any(Array), msg: expect.any(String) })
  }
  expect((await post('1'.repeat(21 * 1024 * 1024))).status).toBe(413)
})

test('[W3] an empty body counts as {}, and routes answer with and without a trailing slash', async () => {
  await using face = await openFace()
  expect((await face.request('POST', '/api/sessions')).status).toBe(200)
  expect((await face.request('POST', '/api/sessions/', { body: '' })).status).toBe(200)
  expect((await face.request('GET', '/api/user/api-keys/')).status).toBe(200)
  expect((await face.request('GET', '/api/user/api-keys')).status).toBe(200)
})

test('[W3] unknown routes are 404, also those of tiers we do not have; a wrong method is 405', async () => {
  await using face = await openFace()
  for (const path of [
    '/api/nothing',
    `/api/sessions/${face.session_id}/replay/preview`,
    '/api/chat',
    '/api/sessions/x/turns',
    '/api/sessions/%00',
  ]) {
    const answer = await face.request('GET', path)
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ detail: 'Not Found' })
  }
  const wrong = await face.request('PUT', '/api/sessions')
  expect(wrong.status).toBe(405)
  expect(wrong.headers.get('allow')).toBe('GET, HEAD, POST')
  expect(await wrong.json()).toEqual({
    detail: 'PUT is not allowed here; GET, HEAD, POST is.',
    code: 'method_not_allowed',
  })
})

test('[W3] an address that cannot be read is 400, and an id that is too long for one is 404, each in our words', async () => {
  await using face = await openFace()
  for (const path of ['/api/%ff', '/api/sessions/%', '/api/sessions/%E0%A4%A'])
    for (const method of ['GET', 'POST']) {
      const { status, headers, body } = await raw(face.url + path, {}, method)
      expect([path, status, headers['cache-control']]).toEqual([path, 400, 'no-store'])
      expect(JSON.parse(body)).toEqual({ detail: 'The address is no valid one.', code: 'invalid_payload' })
    }
  for (const path of [`/api/sessions/${'x'.repeat(200)}`, `/api/tool-calls/${'x'.repeat(9_000)}/result`]) {
    const { status, headers, body } = await raw(face.url + path, {})
    expect([status, headers['cache-control']]).toEqual([404, 'no-store'])
    expect(JSON.parse(body)).toEqual({ detail: 'Not Found', code: 'not_found' })
  }
})

test('[W3] without a credential, or with a bad one, every route behind the door is 401', async () => {
  await using face = await openFace({ authFailures: 1_000 })
  const routes = [
    ['GET', '/api/sessions'],
    ['POST', '/api/sessions'],
    ['GET', '/api/sessions/x'],
    ['PATCH', '/api/sessions/x'],
    ['DELETE', '/api/sessions/x'],
    ['PATCH', '/api/sessions/x/pin'],
    ['PATCH', '/api/sessions/x/memory'],
    ['GET', '/api/sessions/x/messages'],
    ['POST', '/api/sessions/x/chat'],
    ['POST', '/api/sessions/x/headless'],
    ['GET', '/api/user/api-keys'],
    ['POST', '/api/user/api-keys'],
    ['GET', '/api/user/api-keys/x'],
    ['PATCH', '/api/user/api-keys/x'],
    ['DELETE', '/api/user/api-keys/x'],
    ['GET', '/api/config/models'],
    ['GET', '/api/config'],
    ['GET', '/api/auth/me'],
    ['POST', '/api/auth/refresh'],
    ['POST', '/api/auth/logout'],
  ] as const
  for (const [method, path] of routes)
    for (const headers of [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: 'Basic eDp5' },
      { cookie: 'parley_login=x.y' },
    ]) {
      const answer = await face.request(method, path, { token: null, headers: { ...headers } })
      expect(answer.status, `${method} ${path}`).toBe(401)
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(await answer.json()).toMatchObject({ code: 'unauthorized', detail: expect.any(String) })
    }
})

test('an address with too many bad tries has to wait; whoever has the right thing in hand does not', async () => {
  let now = 1_000_000
  await using face = await openFace({ authFailures: 3, now: () => now })
  const me = (token: string) => face.request('GET', '/api/auth/me', { token })
  for (let i = 0; i < 3; i++) expect((await me(`guess ${i}`)).status).toBe(401)
  const late = await me('guess 4')
  expect(late.status).toBe(429)
  expect(late.headers.get('retry-after')).toBe('60')
  expect(await late.json()).toMatchObject({ code: 'rate_limited' })
  await expect(face.connect({ token: 'guess 5' })).rejects.toMatchObject({ message: 'rate_limited' })
  expect((await me(face.key)).status).toBe(200)
  const link = `/api/auth/login?code=${await face.auth.newSignInCode()}`
  expect((await face.request('GET', link, { token: null })).status).toBe(302)
  now += 60_000
  expect((await me('guess 6')).status).toBe(401)
})
