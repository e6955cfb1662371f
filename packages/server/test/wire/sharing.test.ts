import type { TurnProjection } from '@parley/protocol'
import type { CreatedShare, Share } from '@parley/protocol/rest'
import { describe, expect, test } from 'vitest'
import { askDatabase } from './beside.ts'
import { READERS_OF_SESSION } from '../../src/sharing/readings.ts'
import { importLong } from './import-long.ts'
import { sharedWorld, STORES, World } from './world.ts'

const UNKNOWN = `share_${'0'.repeat(24)}_${'a'.repeat(32)}`

/** Everything that a stranger gets for this link. */
async function opened(world: World, token: string, language = 'en') {
  const headers = { 'accept-language': language }
  const list = await world.rest<TurnProjection[]>('GET', `/api/share/${token}`, { token: null })
  const page = await world.rest<string>('GET', `/share/${token}`, { token: null, headers })
  return { list, page }
}

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)
  const share = (id: string, body: object = {}) =>
    world().rest<CreatedShare>('POST', `/api/sessions/${id}/share`, { body })
  const shares = async (id: string) => (await world().rest<Share[]>('GET', `/api/sessions/${id}/shares`)).body

  async function answered(question: string, session: object = {}, rest: object = {}): Promise<string> {
    const session_id = await world().newSession(session)
    await using chat = await world().chat({ session_id })
    await chat.run(question, rest)
    return session_id
  }

  test('[W12.5] a link shows the conversation to whoever has it, without an account, until it is revoked', async () => {
    world().learn({ 'share this <b>': [{ thinking: 'a private thought', text: 'Look:\n\n```js\nlet a = 1 < 2\n```' }] })
    const id = await answered('share this <b>')
    expect(await world().session(id)).toMatchObject({ shared: false })
    const made = await share(id)
    expect(made).toMatchObject({
      status: 200,
      body: {
        token: expect.stringMatching(/^share_[0-9a-f]{24}_[\w-]{32}$/),
        url: `${world().url}/share/${made.body.token}`,
        expires_at: null,
      },
    })
    expect(await world().session(id)).toMatchObject({ shared: true })
    const { list, page } = await opened(world(), made.body.token)
    expect(list.status).toBe(200)
    expect(list.body.map(({ role, blocks }) => [role, blocks.map(({ type }) => type)])).toEqual([
      ['user', ['text']],
      ['assistant', ['text']],
    ])
    expect(page.status).toBe(200)
    expect(page.body).toContain('share this &lt;b&gt;')
    expect(page.body).toContain('<pre><code>let a = 1 &lt; 2</code></pre>')
    expect(page.body).toContain('<html lang="en">')
    const { user_id } = await world().session(id)
    for (const text of [JSON.stringify(list.body), page.body]) {
      expect(text).not.toContain('a private thought')
      expect(text).not.toContain(user_id)
      expect(text).not.toContain('"chat_')
    }
    const { page: chinese } = await opened(world(), made.body.token, 'zh')
    expect(chinese.body).toContain('仅供阅读')
    for (const { headers } of [list, page])
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'no-store',
        'x-robots-tag': 'noindex, nofollow',
        'referrer-policy': 'no-referrer',
      })
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
    expect(page.body).not.toMatch(/<script|https?:/)

    const revoked = await world().rest('DELETE', `/api/sessions/${id}/share/${made.body.token}`)
    expect(revoked).toMatchObject({ status: 200, body: { revoked: true } })
    expect((await world().rest('DELETE', `/api/sessions/${id}/share/${made.body.token}`)).status).toBe(404)
    const after = await opened(world(), made.body.token)
    expect([after.list.status, after.page.status]).toEqual([404, 404])
    expect(after.page.body).toContain('This link does not work')
  })

  test('[W12.5] a link has a lifetime, counted by the database’s clock', async () => {
    const id = await world().newSession()
    const { body: made } = await share(id, { ttl_seconds: 3_600 })
    const lasts = Date.parse(made.expires_at!) - Date.parse(made.created_at)
    expect(lasts).toBe(3_600_000)
    expect((await opened(world(), made.token)).list.body).toEqual([])
    await askDatabase(world(), `UPDATE shares SET expires_at = 1 WHERE id = '${made.id}'`)
    const { list, page } = await opened(world(), made.token)
    expect([list.status, page.status]).toEqual([404, 404])
    expect(await shares(id)).toEqual([])
  })

  test('[W12.5] a session’s links are listed without their tokens, and one is ended by its id', async () => {
    const id = await world().newSession()
    const first = (await share(id, { ttl_seconds: 60 })).body
    const second = (await share(id)).body
    const listed = await shares(id)
    expect(new Set(listed.map((one) => one.id))).toEqual(new Set([first.id, second.id]))
    expect(listed.find((one) => one.id === first.id)).toEqual({
      id: first.id,
      created_at: first.created_at,
      expires_at: first.expires_at,
    })
    await world().rest('DELETE', `/api/sessions/${id}/share/${first.id}`)
    expect((await shares(id)).map((one) => one.id)).toEqual([second.id])
    expect((await opened(world(), first.token)).list.status).toBe(404)
    expect((await opened(world(), second.token)).list.status).toBe(200)
    // An id opens nothing, and neither does one with another secret.
    for (const token of [second.id, `${second.id}_${'a'.repeat(32)}`, UNKNOWN, 'x', 'share_'])
      expect((await opened(world(), token)).list.status).toBe(404)
    const rows = await askDatabase(world(), 'SELECT * FROM shares')
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain(second.token.slice(second.id.length + 1))
  })

  test('[W11.2] switched off, all links are ended for good; the session tells', async () => {
    const id = await world().newSession()
    const { body: made } = await share(id)
    const set = (shared: boolean) => world().rest('PATCH', `/api/sessions/${id}/sharing`, { body: { shared } })
    expect(await set(false)).toMatchObject({ status: 200, body: { shared: false } })
    expect(await world().session(id)).toMatchObject({ shared: false })
    expect((await opened(world(), made.token)).list.status).toBe(404)
    expect(await set(true)).toMatchObject({ status: 200, body: { shared: true } })
    expect(await world().session(id)).toMatchObject({ shared: true })
    expect((await opened(world(), made.token)).list.status).toBe(404)
    expect(await shares(id)).toEqual([])
  })

  test('[W12.1] [W12.5] after a rewind a link, and an export, show the branch that is being talked on', async () => {
    world().learn({ 'stays here': [{ text: 'Kept.' }], 'is rewound': [{ text: 'Taken back.' }] })
    const session_id = await world().newSession()
    await using chat = await world().chat({ session_id })
    await chat.run('stays here')
    await chat.run('is rewound')
    const path = `/api/sessions/${session_id}`
    const points = await world().rest<{ checkpoint_id: string }[]>('GET', `${path}/checkpoints`)
    const body = { checkpoint_id: points.body.at(-1)!.checkpoint_id }
    expect((await world().rest('POST', `${path}/rewind`, { body })).status).toBe(200)
    const { body: made } = await share(session_id)
    const { list, page } = await opened(world(), made.token)
    const { body: text } = await world().rest<string>('GET', `${path}/export?format=markdown`)
    expect(list.body).toHaveLength(2)
    for (const told of [page.body, text]) {
      expect(told).toContain('Kept.')
      expect(told).not.toMatch(/rewound|Taken back/)
    }
  })

  test('[W11.2] a link goes with its session', async () => {
    const id = await world().newSession()
    const { body: made } = await share(id)
    await world().rest('DELETE', `/api/sessions/${id}`)
    expect((await opened(world(), made.token)).list.status).toBe(404)
    expect(await askDatabase(world(), `SELECT id FROM shares WHERE session_id = '${id}'`)).toEqual([])
  })

  test('[W3] without an account, or of somebody else, nothing is made, listed or ended', async () => {
    const id = await world().newSession()
    const { body: made } = await share(id)
    const at = `/api/sessions/${id}`
    const routes: [string, string, object?][] = [
      ['POST', `${at}/share`, {}],
      ['GET', `${at}/shares`],
      ['DELETE', `${at}/share/${made.token}`],
      ['PATCH', `${at}/sharing`, { shared: false }],
    ]
    for (const [method, path, body] of routes) {
      expect((await world().rest(method, path, { token: null, body })).status).toBe(401)
      const foreign = await world().rest(method, path, { token: world().strangersKey, body })
      expect([path, foreign.status, foreign.body['code']]).toEqual([path, 404, 'session_not_found'])
    }
    expect(await world().session(id)).toMatchObject({ shared: true })
    expect((await opened(world(), made.token)).list.status).toBe(200)
    // Nor by way of a session of one's own.
    const other = await world().newSession()
    expect((await world().rest('DELETE', `/api/sessions/${other}/share/${made.token}`)).status).toBe(404)
  })

  test.each([
    { ttl_seconds: 0 },
    { ttl_seconds: -1 },
    { ttl_seconds: 1.5 },
    { ttl_seconds: 'day' },
    { ttl_seconds: 1e12 },
  ])('[W12.5] %j is refused by name', async (body) => {
    const id = await world().newSession()
    expect(await share(id, body)).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('ttl_seconds') },
    })
    expect(await world().session(id)).toMatchObject({ shared: false })
  })

  test('[W12.5] values of the environment, of runs that are over too, are shown to nobody', async () => {
    const canaries = ['canary-session-1', 'canary-runtime-2', 'a secret for tests that nobody needs to know']
    world().learn({ 'tell them all': [{ text: `They are ${canaries.join(', ')}.` }] })
    const id = await answered(
      'tell them all',
      { env: { SESSION_VALUE: canaries[0] } },
      { runtime_env: { RUNTIME_VALUE: canaries[1] } },
    )
    // Its owner sees what was said.
    expect(JSON.stringify(await world().messages(id))).toContain(canaries[1])
    const { body: made } = await share(id)
    const { list, page } = await opened(world(), made.token)
    expect(page.body).toContain('They are [secret], [secret], [secret].')
    for (const canary of canaries) {
      expect(JSON.stringify(list.body)).not.toContain(canary)
      expect(page.body).not.toContain(canary)
    }
  })
})

test('[W12.9] where sharing is switched off, no link is made, and one that exists does not work', async () => {
  await using world = await World.open('sqlite')
  const config = async () => (await world.rest('GET', '/api/config')).body
  expect(await config()).toMatchObject({ publicSharingEnabled: true })
  const id = await world.newSession()
  const { body: made } = await world.rest<CreatedShare>('POST', `/api/sessions/${id}/share`, { body: {} })
  await world.stop()
  await using closed = await World.open('sqlite', { dataDir: world.dataDir, publicSharing: false })
  expect((await closed.rest('GET', '/api/config')).body).toMatchObject({ publicSharingEnabled: false })
  expect((await opened(closed, made.token)).list.status).toBe(404)
  expect((await closed.rest('POST', `/api/sessions/${id}/share`, { body: {} })).status).toBe(501)
  expect((await closed.rest('PATCH', `/api/sessions/${id}/sharing`, { body: { shared: true } })).status).toBe(501)
  expect((await closed.rest('PATCH', `/api/sessions/${id}/sharing`, { body: { shared: false } })).status).toBe(200)
})

test('[W12.5] a long conversation is shown whole, page by page', async () => {
  await using world = await World.open('sqlite')
  world.otherwise(() => ({ text: 'ok' }))
  await using chat = await world.chat()
  for (let count = 0; count < 60; count++) await chat.run(`message ${count}.`)
  const { body: made } = await world.rest<CreatedShare>('POST', `/api/sessions/${chat.session_id}/share`, { body: {} })
  const { list, page } = await opened(world, made.token)
  expect(list.body.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 120 }, (_, index) => index))
  for (let count = 0; count < 60; count++) expect(page.body).toContain(`message ${count}.`)
})

test('[W12.5] [D7] as many may read a link at once as are worth the work; others are asked to come again', async () => {
  await using world = await World.open('sqlite')
  const session_id = await importLong(world, 150, 'x'.repeat(100_000))
  const { body: made } = await world.rest<CreatedShare>('POST', `/api/sessions/${session_id}/share`, { body: {} })
  const read = (path: string) => fetch(world.url + path)
  // More than connections hold, of which nobody reads anything.
  const stalled = await Promise.all(Array.from({ length: READERS_OF_SESSION }, () => read(`/share/${made.token}`)))
  expect(stalled.map(({ status }) => status)).toEqual(stalled.map(() => 200))
  for (const path of [`/api/share/${made.token}`, `/share/${made.token}`]) {
    const late = await read(path)
    expect([late.status, late.headers.get('retry-after')]).toEqual([429, '5'])
    expect(await late.text()).toMatch(/Many are reading this just now/)
  }
  await stalled[0]!.body!.cancel()
  await expect.poll(async () => (await read(`/api/share/${made.token}`)).status).toBe(200)
  for (const one of stalled.slice(1)) await one.body!.cancel()
})
