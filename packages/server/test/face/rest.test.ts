import type { CreatedApiKey } from '@parley/protocol/rest'
import type { Session } from '@parley/protocol'
import { expect, test } from 'vitest'
import { StoreError } from '../../src/store/errors.ts'
import { OWNER_KEY, World } from '../wire/world.ts'
import { openFace } from './face.ts'

test('[W11.1] health and version are open to everybody, the models to whoever is signed in', async () => {
  await using face = await openFace()
  for (const path of ['/api/health', '/healthz'])
    expect(await (await face.request('GET', path, { token: null })).json()).toEqual({ status: 'ok' })
  expect((await face.request('GET', '/api/version', { token: null })).status).toBe(200)
  expect(await (await face.request('GET', '/api/config/models')).json()).toEqual({
    default: 'demo',
    models: [{ id: 'demo', name: 'Demo', context_window: 8_000, supports_vision: false, supports_thinking: true }],
  })
  expect(await (await face.request('GET', '/api/config')).json()).toEqual({
    asrEnabled: false,
    publicSharingEnabled: false,
    memoryEnabled: false,
    suggestionsEnabled: false,
  })
})

test('[WR-58] creating a session answers 200 with its id under both names', async () => {
  await using face = await openFace()
  const answer = await face.request('POST', '/api/sessions', { body: { intent: 'Daily report' } })
  expect(answer.status).toBe(200)
  const session = (await answer.json()) as Session & { session_id: string }
  expect(session).toMatchObject({
    session_id: session.id,
    intent: 'Daily report',
    status: 'created',
    user_id: face.auth.owner_id,
  })
  expect((await face.request('POST', '/api/sessions', { body: { model: 'none' } })).status).toBe(422)
  expect((await face.request('POST', '/api/sessions', { body: { intent: 7 } })).status).toBe(422)
})

test('[W11.2] a session can be listed, read, renamed, pinned and deleted', async () => {
  await using face = await openFace()
  const path = `/api/sessions/${face.session_id}`
  expect(await (await face.request('GET', '/api/sessions?limit=5&offset=0')).json()).toMatchObject({
    total: 1,
    limit: 5,
    offset: 0,
    items: [{ id: face.session_id }],
  })
  expect(await (await face.request('GET', path)).json()).toMatchObject({
    id: face.session_id,
    viewer_role: 'owner',
    pending_question: null,
  })
  expect(await (await face.request('PATCH', path, { body: { intent: 'new' } })).json()).toMatchObject({
    intent: 'new',
    session_setup: {},
  })
  expect(await (await face.request('PATCH', path, { body: { intent: null } })).json()).toMatchObject({ intent: 'new' })
  expect(await (await face.request('PATCH', `${path}/pin`, { body: { pinned: true } })).json()).toMatchObject({
    is_pinned: true,
  })
  expect(
    await (await face.request('PATCH', `${path}/memory`, { body: { memory_enabled: false } })).json(),
  ).toMatchObject({ memory_enabled: false })
  expect(await (await face.request('DELETE', path)).json()).toEqual({ deleted: true })
  expect((await face.request('GET', path)).status).toBe(404)
})

test.each([
  ['GET', '', undefined],
  ['PATCH', '', { intent: 'x' }],
  ['DELETE', '', undefined],
  ['PATCH', '/pin', { pinned: true }],
  ['PATCH', '/memory', { memory_enabled: true }],
  ['GET', '/messages', undefined],
  ['POST', '/chat', { message: 'x' }],
])('[W3] %s …%s of somebody else’s session is 404', async (method, tail, body) => {
  await using face = await openFace()
  const { id } = await face.sessions.create({ user_id: 'user_other' }, {})
  const answer = await face.request(method, `/api/sessions/${id}${tail}`, { body })
  expect(answer.status).toBe(404)
  expect(await answer.json()).toMatchObject({ code: 'session_not_found', detail: expect.any(String) })
})

test.each(['?limit=0', '?limit=101', '?limit=x', '?offset=-1', '?status=odd'])(
  '[W11.2] the list refuses %s',
  async (query) => {
    await using face = await openFace()
    expect((await face.request('GET', `/api/sessions${query}`)).status).toBe(422)
  },
)

test('[W11.3] messages are a bare array that can be paged', async () => {
  await using face = await openFace()
  await face.sessions.send({ user_id: face.auth.owner_id }, {
    session_id: face.session_id,
    client_message_id: null,
  } as never)
  const run = await face.sessions.nextRun()
  for (const [index, id] of ['turn_a', 'turn_b', 'turn_c'].entries()) {
    await run.startTurn(id, index)
    await run.endTurn(id)
  }
  const read = async (query: string) => {
    const turns = (await (await face.request('GET', `/api/sessions/${face.session_id}/messages${query}`)).json()) as {
      turn_id: string
    }[]
    return turns.map(({ turn_id }) => turn_id)
  }
  expect(await read('')).toEqual(['turn_a', 'turn_b', 'turn_c'])
  expect(await read('?limit=1')).toEqual(['turn_c'])
  expect(await read('?after=0&limit=1')).toEqual(['turn_b'])
})

test('[W11.5] the key appears exactly once, works at once, can be renamed, and is gone when deleted', async () => {
  await using face = await openFace()
  const created = await face.request('POST', '/api/user/api-keys/', { body: { name: 'ci' } })
  expect(created.status).toBe(201)
  const { key, plaintext } = (await created.json()) as CreatedApiKey
  expect(key).toMatchObject({ name: 'ci', plaintext: null, last_used_at: null })
  expect((await face.request('GET', '/api/auth/me', { token: plaintext })).status).toBe(200)
  const list = await (await face.request('GET', '/api/user/api-keys/')).text()
  expect(list).toContain(key.id)
  expect(list).not.toContain(plaintext)
  expect(
    await (await face.request('PATCH', `/api/user/api-keys/${key.id}`, { body: { name: 'cd' } })).json(),
  ).toMatchObject({ name: 'cd' })
  expect(await (await face.request('GET', `/api/user/api-keys/${key.id}`)).json()).toMatchObject({
    name: 'cd',
    plaintext: null,
  })
  const gone = await face.request('DELETE', `/api/user/api-keys/${key.id}`)
  expect([gone.status, await gone.text()]).toEqual([204, ''])
  expect((await face.request('GET', '/api/auth/me', { token: plaintext })).status).toBe(401)
  expect((await face.request('DELETE', `/api/user/api-keys/${key.id}`)).status).toBe(404)
})

test('[W12.9] the sign-in link gives a cookie, once, and leads on to a page of this server only', async () => {
  await using face = await openFace()
  const follow = async (next: string) => {
    const code = await face.auth.newSignInCode()
    return face.request('GET', `/api/auth/login?code=${code}&next=${encodeURIComponent(next)}`, { token: null })
  }
  const answer = await follow('/sessions?x=1')
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/sessions?x=1'])
  const cookie = answer.headers.get('set-cookie')!
  expect(cookie).toMatch(/^parley_login=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/)
  for (const next of [
    'https://evil.example/',
    '//evil.example/x',
    '/\\evil.example',
    'javascript:alert(1)',
    'evil',
    '/\t/evil.example',
  ])
    expect((await follow(next)).headers.get('location'), next).toBe('/')
  const code = await face.auth.newSignInCode()
  expect((await face.request('HEAD', `/api/auth/login?code=${code}`, { token: null })).status).toBe(405)
  expect((await face.request('GET', `/api/auth/login?code=${code}`, { token: null })).status).toBe(302)
  for (const used of [code, 'wrong', ''])
    expect((await face.request('GET', `/api/auth/login?code=${used}`, { token: null })).status).toBe(401)
})

test('[W12.9] a sign-in link that was used is a page for whoever opened it in a browser, and JSON for programs', async () => {
  await using face = await openFace()
  const url = '/api/auth/login?code=used%3Cscript%3E'
  const page = await face.request('GET', url, {
    token: null,
    headers: { accept: 'text/html,application/xhtml+xml', 'accept-language': 'en' },
  })
  expect(page.status).toBe(401)
  expect(page.headers.get('content-type')).toMatch(/^text\/html/)
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  const html = await page.text()
  expect(html).toMatch(/was used before.*<code>npx parley sign-in-link<\/code>/)
  expect(html).not.toContain('script')
  const program = await face.request('GET', url, { token: null })
  expect(await program.json()).toMatchObject({ code: 'unauthorized' })
})

test('[W12.9] everybody of the server has as many sign-in links as they ask for, each good once, and for themselves', async () => {
  await using world = await World.open('sqlite')
  for (const token of [OWNER_KEY, world.strangersKey]) {
    const { status, body } = await world.rest<{ url: string }>('POST', '/api/auth/sign-in-links', { token })
    expect([status, new URL(body.url).origin]).toEqual([201, world.url])
    const open = () => fetch(body.url, { redirect: 'manual' })
    const cookie = (await open()).headers.get('set-cookie')!.split(';')[0]!
    expect((await open()).status).toBe(401)
    const [me, asBrowser] = [
      await world.rest('GET', '/api/auth/me', { token }),
      await world.rest('GET', '/api/auth/me', { token: null, headers: { cookie } }),
    ]
    expect(asBrowser.body).toEqual(me.body)
  }
})

test('[W12.9] with the cookie one is the owner, can refresh it and log out; an API key cannot', async () => {
  await using face = await openFace()
  const token = await face.auth.signIn(await face.auth.newSignInCode())
  const headers = { cookie: `parley_login=${token}`, origin: face.url }
  const asBrowser = (method: string, path: string) => face.request(method, path, { token: null, headers })
  expect(await (await asBrowser('GET', '/api/auth/me')).json()).toMatchObject({
    id: face.auth.owner_id,
    username: 'owner',
  })
  const refreshed = await asBrowser('POST', '/api/auth/refresh')
  expect(await refreshed.json()).toEqual({ ok: true })
  expect(refreshed.headers.get('set-cookie')).toContain('parley_login=')
  for (const path of ['/api/auth/refresh', '/api/auth/logout'])
    expect((await face.request('POST', path)).status).toBe(401)
  const out = await asBrowser('POST', '/api/auth/logout')
  expect(await out.json()).toEqual({ ok: true, logout_url: null })
  expect(out.headers.get('set-cookie')).toContain('Max-Age=0')
  expect((await asBrowser('GET', '/api/auth/me')).status).toBe(401)
  expect((await asBrowser('POST', '/api/auth/refresh')).status).toBe(401)
})

test('[D3] a session that is deleted while it is being read is not found, as over the socket', async () => {
  await using face = await openFace()
  face.sessions.messages = async () => {
    throw new StoreError('session_gone', 'Session sess_1 does not exist.')
  }
  const answer = await face.request('GET', `/api/sessions/${face.session_id}/messages`)
  expect({ status: answer.status, body: await answer.json() }).toEqual({
    status: 404,
    body: { code: 'session_not_found', detail: 'There is no such session.' },
  })
})
