import type { CreatedToken, Identity, TokenPage } from '@parley/protocol/rest'
import { describe, expect, test } from 'vitest'
import { sharedWorld, STORES } from '../wire/world.ts'
import { mint } from './visitors.ts'

const TOKENS = '/api/auth/tokens'

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)
  const post = (body: unknown, token?: string) =>
    world().rest<CreatedToken & Record<string, unknown>>('POST', TOKENS, {
      body,
      ...(token !== undefined && { token }),
    })

  test('a token is made with a key, for a while, and for talking unless more was asked for', async () => {
    const { status, body } = await post({ subject: 'anna@shop.example' })
    expect(status).toBe(201)
    expect(body).toEqual({
      token: expect.stringMatching(/^visitor-[0-9a-f]{24}_[A-Za-z0-9_-]{43}$/),
      id: expect.stringMatching(/^tok_/),
      subject: 'anna@shop.example',
      user_id: expect.stringMatching(/^user_/),
      scopes: ['chat'],
      expires_at: expect.any(String),
    })
    const lasts = Date.parse(body.expires_at) - Date.now()
    expect(lasts).toBeGreaterThan(3_590_000)
    expect(lasts).toBeLessThanOrEqual(3_600_000)
    const more = await post({ subject: 'a', scopes: ['decide', 'chat', 'chat'], expires_in: 60, display_name: 'Anna' })
    expect(more.body).toMatchObject({ scopes: ['chat', 'decide'] })
    const me = await world().rest<Identity>('GET', '/api/auth/me', { token: more.body.token })
    expect(me.body).toMatchObject({
      id: more.body.user_id,
      username: 'a',
      display_name: 'Anna',
      subject: 'a',
      scopes: ['chat', 'decide'],
    })
    // A later token that says nothing about the name leaves it.
    const { token } = await mint(world(), 'a')
    expect((await world().rest<Identity>('GET', '/api/auth/me', { token })).body.display_name).toBe('Anna')
  })

  test.each([
    ['no subject', {}],
    ['an empty subject', { subject: '' }],
    ['a subject that is no text', { subject: 7 }],
    ['a subject that is too long', { subject: 'a'.repeat(201) }],
    ['a subject with a line break', { subject: 'a\nb' }],
    ['a subject with a NUL', { subject: 'a\0' }],
    ['a subject with half a character', { subject: 'a\ud800' }],
    ['an unknown scope', { subject: 'a', scopes: ['chat', 'admin'] }],
    ['no scope at all', { subject: 'a', scopes: [] }],
    ['a scope that is no list', { subject: 'a', scopes: 'chat' }],
    ['a life that is too short', { subject: 'a', expires_in: 59 }],
    ['a life that is too long', { subject: 'a', expires_in: 86_401 }],
    ['half a second', { subject: 'a', expires_in: 60.5 }],
    ['a misspelt field', { subject: 'a', scope: ['chat'] }],
    ['somebody’s user id', { subject: 'a', user_id: 'user_1' }],
    ['no object', ['a']],
  ])('%s is refused', async (_name, body) => {
    const { status, body: answer } = await post(body)
    expect([status, answer['code']]).toEqual([422, 'invalid_payload'])
  })

  test.each(['a'.repeat(200), '张三', 'Ä b/c?d=e&f%20', '👩‍🚀'])('the subject %s is good', async (subject) => {
    const made = await mint(world(), subject)
    expect(made.subject).toBe(subject)
    const query = `?subject=${encodeURIComponent(subject)}`
    const page = await world().rest<TokenPage>('GET', TOKENS + query)
    expect(page.body.items.map(({ id }) => id)).toEqual([made.id])
    expect(JSON.stringify(page.body)).not.toContain(made.token.slice(-20))
    await world().newSession({}, made.token)
    expect((await world().rest('GET', `/api/sessions${query}`)).body).toMatchObject({ total: 1 })
    expect((await world().rest('DELETE', TOKENS + query)).body).toEqual({ revoked: 1 })
  })

  test('neither a login nor a token makes tokens, and without a subject nothing is revoked', async () => {
    const { token } = await mint(world(), 'eve')
    expect((await post({ subject: 'mallory' }, token)).status).toBe(403)
    const login = await fetch(world().signInUrl, { redirect: 'manual' })
    const headers = { cookie: login.headers.getSetCookie()[0]!.split(';')[0]!, origin: world().url }
    const refused = await world().rest('POST', TOKENS, { body: { subject: 'eve' }, token: null, headers })
    expect([refused.status, refused.body['code']]).toEqual([403, 'forbidden'])
    // But it may look, and revoke.
    expect((await world().rest('GET', TOKENS, { token: null, headers })).status).toBe(200)
    expect((await world().rest('DELETE', TOKENS)).status).toBe(422)
    expect((await world().rest('GET', '/api/auth/me', { token })).status).toBe(200)
  })

  test('another account has visitors of its own, also of the same name', async () => {
    const theirs = await post({ subject: 'eve' }, world().strangersKey)
    const ours = await mint(world(), 'eve')
    expect(theirs.body.user_id).not.toBe(ours.user_id)
    const token = world().strangersKey
    expect((await world().rest('DELETE', `${TOKENS}/${ours.id}`, { token })).status).toBe(404)
    expect((await world().rest<TokenPage>('GET', TOKENS, { token })).body.items.map(({ id }) => id)).toEqual([
      theirs.body.id,
    ])
    expect((await world().rest('DELETE', `${TOKENS}?subject=eve`, { token })).body).toEqual({ revoked: 1 })
    expect((await world().rest('GET', '/api/auth/me', { token: ours.token })).status).toBe(200)
  })

  test('many tokens made at once for somebody new are of one visitor', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => mint(world(), 'just arrived')))
    expect(new Set(made.map(({ user_id }) => user_id)).size).toBe(1)
    expect(new Set(made.map(({ token }) => token)).size).toBe(8)
  })

  test('a token that was changed anywhere is none', async () => {
    const { token } = await mint(world(), 'anna')
    const guessed = `${token.slice(0, -43)}${'A'.repeat(43)}`
    for (const changed of [guessed, `${token}x`, token.slice(0, -1), `x${token}`, token.replace('visitor-', 'sk-')])
      expect((await world().rest('GET', '/api/auth/me', { token: changed })).status).toBe(401)
  })
})
