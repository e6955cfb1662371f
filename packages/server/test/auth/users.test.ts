import type { Invitation, User, UserPage } from '@parley/protocol/rest'
import { describe, expect, test } from 'vitest'
import { sharedWorld, STORES } from '../wire/world.ts'
import { join, openLink } from './people.ts'
import { mint } from './visitors.ts'

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)
  const list = async (query = '?limit=200') => (await world().rest<UserPage>('GET', `/api/users${query}`)).body

  test('[W12.15.1] who is invited comes in by the link, once, and is a member', async () => {
    const invited = await world().rest<Invitation>('POST', '/api/users', { body: { username: ' Anna@Example.com ' } })
    expect(invited).toMatchObject({
      status: 201,
      body: { user: { username: 'anna@example.com', role: 'member', status: 'invited' } },
    })
    const { url, user } = invited.body
    const me = (cookie: string) => world().rest('GET', '/api/auth/me', { token: null, headers: { cookie } })
    const cookie = await openLink(url)
    expect(await me(cookie)).toMatchObject({ status: 200, body: { id: user.id, role: 'member' } })
    expect((await fetch(url, { redirect: 'manual' })).status).toBe(401)
    expect((await list('?username=anna@example.com')).items).toMatchObject([{ id: user.id, status: 'active' }])
    expect(await world().rest('GET', '/api/auth/me')).toMatchObject({ body: { username: 'owner', role: 'owner' } })
  })

  test('[W12.15.1] a link is shown once, and is good for a week at most', async () => {
    const { body } = await world().rest<Invitation>('POST', '/api/users', { body: { username: 'berta' } })
    const code = new URL(body.url).searchParams.get('code')!
    expect(code.length).toBeGreaterThanOrEqual(32)
    expect(JSON.stringify(await list())).not.toContain(code)
    expect(Date.parse(body.expires_at) - Date.now()).toBeLessThanOrEqual(7 * 86_400_000)
  })

  test('[W12.15] owners see when somebody was last active: in a session, or with a key', async () => {
    const { id, key } = await join(world(), 'active@example.com')
    const seen = async () => (await list('?username=active@example.com')).items[0]?.last_active_at
    expect(await seen()).toBeNull()
    await world().rest('GET', '/api/auth/me', { token: key })
    await expect.poll(seen, { timeout: 30_000 }).not.toBeNull()
    const first = await seen()
    await world().rest('POST', '/api/sessions', { token: key, body: {} })
    expect((await seen())! > first!).toBe(true)
    const { body: changed } = await world().rest<User>('PATCH', `/api/users/${id}`, { body: { display_name: 'A' } })
    expect(changed.last_active_at).toBe(await seen())
  })

  test('[W12.15.1] another link ends the one before', async () => {
    const first = (await world().rest<Invitation>('POST', '/api/users', { body: { username: 'carla' } })).body
    const again = await world().rest<Invitation>('POST', `/api/users/${first.user.id}/links`)
    expect(again.status).toBe(201)
    expect((await fetch(first.url, { redirect: 'manual' })).status).toBe(401)
    await openLink(again.body.url)
  })

  test('[W12.15.2] a name is taken once, whatever its spelling; what is none is refused', async () => {
    await world().rest('POST', '/api/users', { body: { username: 'dora' } })
    for (const username of ['dora', 'DORA', ' ｄｏｒａ '])
      expect(await world().rest('POST', '/api/users', { body: { username } })).toMatchObject({
        status: 409,
        body: { code: 'already_exists' },
      })
    for (const body of [
      {},
      { username: '' },
      { username: 'two words' },
      { username: 'a\u0000b' },
      { username: 'user_123' },
      { username: 'x'.repeat(201) },
      { username: 'ok', role: 'admin' },
      { username: 'ok', rôle: 'owner' },
    ])
      expect([body, await world().rest('POST', '/api/users', { body })]).toMatchObject([
        body,
        { status: 422, body: { detail: expect.any(String), code: 'invalid_payload' } },
      ])
  })

  test('[W12.15] the list is paged, and nobody but an owner sees it', async () => {
    const emil = await join(world(), 'emil')
    const anna = await mint(world(), 'anna')
    const { items, total } = await list('?limit=1&offset=0')
    expect(items).toHaveLength(1)
    expect(total).toBeGreaterThan(1)
    expect(JSON.stringify(await list())).not.toContain(anna.user_id)
    for (const token of [emil.key, anna.token])
      expect((await world().rest('GET', '/api/users', { token })).status).toBe(403)
    expect((await world().rest('GET', '/api/users', { token: null })).status).toBe(401)
    expect((await world().rest('GET', '/api/users?page=2')).status).toBe(422)
    for (const [method, path] of [
      ['PATCH', '/api/users/user_nobody'],
      ['DELETE', '/api/users/user_nobody'],
      ['POST', '/api/users/user_nobody/links'],
      // A visitor is no user of this list.
      ['DELETE', `/api/users/${anna.user_id}`],
    ] as const)
      expect([path, (await world().rest(method, path, method === 'PATCH' ? { body: {} } : {})).status]).toEqual([
        path,
        404,
      ])
  })

  test('[W12.15.3] a role counts from the next request on, both ways', async () => {
    const fritz = await join(world(), 'fritz')
    const role = (wanted: string) => world().rest<User>('PATCH', `/api/users/${fritz.id}`, { body: { role: wanted } })
    const sees = async () => (await world().rest('GET', '/api/users', { token: fritz.key })).status
    expect(await sees()).toBe(403)
    expect((await role('owner')).body).toMatchObject({ id: fritz.id, role: 'owner' })
    expect(await sees()).toBe(200)
    expect((await role('member')).body.role).toBe('member')
    expect(await sees()).toBe(403)
    expect((await role('king')).status).toBe(422)
  })

  test('[W12.15.4] there is always an owner: the first one is neither removed nor made a member', async () => {
    const second = await join(world(), 'gerda', { role: 'owner' })
    const [first] = (await list('?username=owner')).items
    for (const token of [second.key, undefined]) {
      const by = token === undefined ? {} : { token }
      expect(await world().rest('DELETE', `/api/users/${first!.id}`, by)).toMatchObject({ status: 403 })
      const body = { role: 'member' }
      expect(await world().rest('PATCH', `/api/users/${first!.id}`, { ...by, body })).toMatchObject({ status: 403 })
    }
    expect((await list('?username=owner')).items).toMatchObject([{ role: 'owner' }])
    expect((await world().rest('DELETE', `/api/users/${second.id}`)).status).toBe(204)
  })

  test('[W12.15.5] who is removed is out at once: login, keys, sockets, links, and the visitors they let in', async () => {
    const hans = await join(world(), 'hans')
    const subject = { subject: 'guest', scopes: ['chat'] }
    const guest = await world().rest<{ token: string }>('POST', '/api/auth/tokens', { token: hans.key, body: subject })
    const session = await world().newSession({ intent: 'a plan' }, hans.key)
    const link = await world().rest<Invitation>('POST', `/api/users/${hans.id}/links`)
    await using socket = await world().connect({ token: hans.key })
    await using browser = await world().connect({ token: null, headers: { cookie: hans.cookie } })
    await using visitor = await world().connect({ token: guest.body.token })
    expect((await world().rest('DELETE', `/api/users/${hans.id}`)).status).toBe(204)
    for (const client of [socket, browser, visitor]) await client.until('(disconnect)')
    for (const token of [hans.key, guest.body.token])
      expect((await world().rest('GET', '/api/auth/me', { token })).status).toBe(401)
    const headers = { cookie: hans.cookie }
    expect((await world().rest('GET', '/api/auth/me', { token: null, headers })).status).toBe(401)
    expect((await fetch(link.body.url, { redirect: 'manual' })).status).toBe(401)
    await expect(world().connect({ token: hans.key })).rejects.toThrow('unauthorized')
    expect((await world().rest('DELETE', `/api/users/${hans.id}`)).status).toBe(404)
    // The name is free, and whoever gets it has nothing of before.
    const next = await join(world(), 'hans')
    expect(next.id).not.toBe(hans.id)
    expect((await world().rest('GET', `/api/sessions/${session}`, { token: next.key })).status).toBe(404)
  })

  test('[W12.9] everybody of the server makes themselves a sign-in link; a visitor does not', async () => {
    const ida = await join(world(), 'ida')
    const made = await world().rest<{ url: string }>('POST', '/api/auth/sign-in-links', { token: ida.key })
    expect(made.status).toBe(201)
    const cookie = await openLink(made.body.url)
    const me = await world().rest('GET', '/api/auth/me', { token: null, headers: { cookie } })
    expect(me.body).toMatchObject({ id: ida.id, role: 'member' })
    const { token } = await mint(world(), 'anna')
    expect((await world().rest('POST', '/api/auth/sign-in-links', { token })).status).toBe(403)
    expect((await world().rest('GET', '/api/auth/me', { token })).body).toMatchObject({
      role: 'visitor',
      subject: 'anna',
    })
  })
})
