import type { EnvironmentGroup } from '@parley/protocol/rest'
import { describe, expect, test } from 'vitest'
import { withDefaults } from '../../src/config/options.ts'
import { openStore } from '../../src/open-store.ts'
import type { Engine } from '../../src/store/engine.ts'
import { runSql } from '../../src/store/work.ts'
import { join } from '../auth/people.ts'
import { mint } from '../auth/visitors.ts'
import { OWNER_KEY, sharedWorld, STORES, World } from '../wire/world.ts'

const BUCKETS = '/api/user/env-buckets'

/** Looks into the database of a server that is not running, and starts it again. */
async function whileStopped<T>(world: World, look: (engine: Engine) => Promise<T>): Promise<T> {
  await world.stop()
  const { dataDir, databaseUrl } = world
  await using stack = new AsyncDisposableStack()
  const engine = stack.use(
    await openStore(withDefaults({ dataDir, ...(databaseUrl !== undefined && { databaseUrl }) })),
  )
  const seen = await look(engine)
  await stack.disposeAsync()
  await world.start()
  return seen
}

/** Tables that have something of these users. */
async function rowsOf(engine: Engine, users: readonly string[]): Promise<string[]> {
  const owned = {
    ...{ users: 'id', sessions: 'user_id', memories: 'user_id', knowledge_documents: 'account_id' },
    ...{
      knowledge_collections: 'account_id',
      env_buckets: 'user_id',
      past_buckets: 'user_id',
      preferences: 'user_id',
      search_documents: 'user_id',
    },
  }
  const marks = users.map(() => '?').join(', ')
  const found: string[] = []
  for (const [table, column] of Object.entries(owned))
    if ((await engine.select(`SELECT 1 AS n FROM ${table} WHERE ${column} IN (${marks})`, users)).length > 0)
      found.push(table)
  return found
}

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)
  const rest = (method: string, path: string, options: object = {}) => world().rest(method, path, options)

  test('[W12.8] a bucket is made, replaced and deleted by its user; its values are told to nobody', async () => {
    const one = `${BUCKETS}/git%2Fhub`
    const put = await rest('PUT', one, { body: { env: { TOKEN: 'hush-1', USER: 'me' } } })
    expect(put).toMatchObject({ status: 200, body: { bucket: 'git/hub', env: { TOKEN: '***', USER: '***' } } })
    expect((await rest('GET', one)).body).toEqual(put.body)
    await rest('PUT', one, { body: { env: { TOKEN: 'hush-2' } } })
    const list = await rest('GET', BUCKETS)
    expect(list.body).toEqual([{ bucket: 'git/hub', env: { TOKEN: '***' } }])
    expect(await rest('DELETE', one)).toMatchObject({ status: 200, body: { bucket: 'git/hub', status: 'deleted' } })
    expect((await rest('GET', one)).status).toBe(404)
    expect((await rest('DELETE', one)).status).toBe(404)
  })

  test('[W12.8] a preference is a text under a key, and none is null', async () => {
    const one = '/api/user/preferences/theme'
    expect(await rest('GET', one)).toMatchObject({ status: 200, body: { value: null } })
    expect((await rest('PUT', one, { body: { value: 'dark' } })).body).toEqual({ value: 'dark' })
    expect((await rest('PUT', one, { body: { value: '' } })).body).toEqual({ value: '' })
    expect((await rest('GET', one)).body).toEqual({ value: '' })
  })

  test('[W12.8] what a program notes about a session stays with it', async () => {
    const session_id = await world().newSession()
    const one = `/api/sessions/${session_id}`
    expect((await rest('GET', `${one}/extra_info`)).body).toEqual({
      ...{ session_id, extra: {}, created_at: null, updated_at: null },
    })
    const first = await rest('POST', `${one}/upset_extra_info`, { body: { extra: { task: { id: 7 } } } })
    expect(first).toMatchObject({ status: 200, body: { session_id, extra: { task: { id: 7 } } } })
    const again = await rest('POST', `${one}/upset_extra_info`, { body: { extra: { colour: '红' } } })
    expect(again.body).toMatchObject({ extra: { colour: '红' }, created_at: first.body['created_at'] })
    expect((await rest('GET', `${one}/extra_info`)).body).toEqual(again.body)
    await rest('DELETE', one)
    expect((await rest('GET', `${one}/extra_info`)).status).toBe(404)
  })

  test('[W12.8] the same names are each user’s own', async () => {
    const otto = await join(world(), 'otto')
    const token = otto.key
    await rest('PUT', `${BUCKETS}/mine`, { body: { env: { A: 'of-the-owner' } } })
    await rest('PUT', '/api/user/preferences/colour', { body: { value: 'of-the-owner' } })
    expect((await rest('GET', `${BUCKETS}/mine`, { token })).status).toBe(404)
    expect((await rest('GET', BUCKETS, { token })).body).toEqual([])
    expect((await rest('DELETE', `${BUCKETS}/mine`, { token })).status).toBe(404)
    expect((await rest('GET', '/api/user/preferences/colour', { token })).body).toEqual({ value: null })
    await rest('PUT', '/api/user/preferences/colour', { token, body: { value: 'blue' } })
    expect((await rest('GET', '/api/user/preferences/colour')).body).toEqual({ value: 'of-the-owner' })
    await rest('DELETE', `${BUCKETS}/mine`)
  })

  test('[W12.8] strangers and visitors get nothing of these; bad input is named', async () => {
    const { token } = await mint(world(), 'vera')
    const session_id = await world().newSession()
    const paths = [BUCKETS, `${BUCKETS}/a`, '/api/user/preferences/a', '/api/env']
    for (const path of paths) {
      expect([path, (await rest('GET', path, { token: null })).status]).toEqual([path, 401])
      expect([path, (await rest('GET', path, { token })).status]).toEqual([path, 403])
    }
    const extra = `/api/sessions/${session_id}/upset_extra_info`
    expect((await rest('POST', extra, { token: null, body: { extra: {} } })).status).toBe(401)
    expect((await rest('POST', extra, { token, body: { extra: {} } })).status).toBe(404)
    for (const [method, path, body] of [
      ['PUT', `${BUCKETS}/a`, {}],
      ['PUT', `${BUCKETS}/a`, { env: { 'no name': 'x' } }],
      ['PUT', `${BUCKETS}/a`, { env: { A: 1 } }],
      ['PUT', `${BUCKETS}/a`, { env: { A: 'a\u0000b' } }],
      ['PUT', `${BUCKETS}/a`, { env: { A: 'x'.repeat(70_000) } }],
      ['PUT', `${BUCKETS}/${'x'.repeat(201)}`, { env: {} }],
      ['PUT', '/api/user/preferences/a', {}],
      ['PUT', '/api/user/preferences/a', { value: 1 }],
      ['PUT', '/api/user/preferences/a', { value: 'x'.repeat(20_000) }],
      ['POST', extra, {}],
      ['POST', extra, { extra: [] }],
      ['POST', extra, { extra: { a: 'x'.repeat(70_000) } }],
    ] as const)
      expect([path, body, await rest(method, path, { body })]).toMatchObject([
        path,
        body,
        {
          status: expect.toSatisfy((code: number) => [404, 414, 422].includes(code)),
          body: { detail: expect.any(String) },
        },
      ])
    expect((await rest('GET', BUCKETS)).body).toEqual([])
  })

  test('[W12.8] tools get runtime_env over the session’s, over the user’s buckets in the order of their names', async () => {
    const show = { name: 'Bash', arguments: { command: 'env' } }
    world().learn({ 'show them': [{ calls: [show] }, { text: 'Shown.' }] })
    await rest('PUT', `${BUCKETS}/a`, {
      body: { env: { ONE: 'bucket-a', TWO: 'bucket-a', THREE: 'bucket-a', FOUR: 'bucket-a' } },
    })
    await rest('PUT', `${BUCKETS}/b`, { body: { env: { TWO: 'bucket-b', THREE: 'bucket-b', FOUR: 'bucket-b' } } })
    const session_id = await world().newSession({ env: { THREE: 'session', FOUR: 'session' } })
    const body = { message: 'show them', runtime_env: { FOUR: 'runtime' } }
    expect((await rest('POST', `/api/sessions/${session_id}/chat`, { body })).status).toBe(200)
    const [call] = (await world().messages(session_id)).flatMap(({ tool_calls }) => tool_calls)
    expect(JSON.parse(String(call!.result))).toEqual({
      ...{ ONE: 'bucket-a', TWO: 'bucket-b', THREE: 'session', FOUR: 'runtime' },
    })
    // What leaves the server shows none of them, also when the bucket is another by then.
    const leaves = async () => {
      const path = `/api/sessions/${session_id}/export?format=markdown`
      const exported = (await world().rest<string>('GET', path)).body
      expect(exported).toContain('show them')
      expect(exported).not.toMatch(/bucket-[ab]/)
    }
    await leaves()
    await rest('DELETE', `${BUCKETS}/a`)
    await rest('PUT', `${BUCKETS}/b`, { body: { env: {} } })
    await leaves()
    await rest('DELETE', `${BUCKETS}/b`)
  })

  test('[W12.8] [W12.15.6] owners see with which variables the server is set up, without its secrets', async () => {
    const groups = (await world().rest<EnvironmentGroup[]>('GET', '/api/env')).body
    const items = groups.flatMap((group) => group.items)
    const of = (name: string) => items.find(({ env_var }) => env_var === name)
    expect(of('PARLEY_HOST')).toMatchObject({ value: '127.0.0.1', default: '127.0.0.1', remark: expect.any(String) })
    expect(of('PARLEY_OWNER_KEY')).toMatchObject({ value: '***', default: null })
    expect(of('PARLEY_MODEL_KEY')?.value).toBeNull()
    expect(JSON.stringify(groups)).not.toMatch(new RegExp(`${OWNER_KEY}|postgres://|nobody needs to know`))
    const chinese = await world().rest<EnvironmentGroup[]>('GET', '/api/env', { headers: { 'accept-language': 'zh' } })
    expect(chinese.body[0]!.group).toBe('地址')
    const { key: token } = await join(world(), 'paula')
    expect((await rest('GET', '/api/env', { token })).status).toBe(403)
  })

  test('[W12.15.5] what a removed user had is deleted: sessions, files, memories, documents, variables, visitors', async () => {
    const rosa = await join(world(), 'rosa')
    const token = rosa.key
    const session_id = await world().newSession({ intent: 'rosa' }, token)
    await rest('PUT', `/api/sessions/${session_id}/files/a.txt`, { token, body: { content: 'rosa' } })
    const shared = await rest('POST', `/api/sessions/${session_id}/share`, { token, body: {} })
    const link = String(shared.body['token'])
    expect((await rest('GET', `/api/share/${link}`, { token: null })).status).toBe(200)
    await rest('POST', '/api/memories', { token, body: { content: 'likes roses' } })
    await rest('POST', '/api/knowledge', { token, body: { category: 'c', title: 't', content: 'about roses' } })
    for (const value of ['b', 'c']) await rest('PUT', `${BUCKETS}/a`, { token, body: { env: { A: value } } })
    const guest = await rest('POST', '/api/auth/tokens', { token, body: { subject: 'guest' } })
    await world().newSession({}, String(guest.body['token']))
    expect((await rest('DELETE', `/api/users/${rosa.id}`)).status).toBe(204)
    expect((await rest('GET', `/api/share/${link}`, { token: null })).status).toBe(404)
    const users = [rosa.id, String(guest.body['user_id'])]
    expect(await whileStopped(world(), (engine) => rowsOf(engine, users))).toEqual([])
  })

  test('[W12.15.5] a server that stopped while it forgot somebody goes on with that at its next start', async () => {
    const tom = await join(world(), 'tom')
    const session_id = await world().newSession({}, tom.key)
    await rest('POST', '/api/memories', { token: tom.key, body: { content: 'likes trains' } })
    const told = await whileStopped(world(), async (engine) => {
      await engine.write(() => runSql('UPDATE users SET removed_at = ? WHERE id = ?', ['2026-01-01T00:00:00Z', tom.id]))
      return rowsOf(engine, [tom.id])
    })
    expect(told).toEqual(['users', 'sessions', 'memories'])
    expect((await rest('GET', `/api/sessions/${session_id}`, { token: tom.key })).status).toBe(401)
    expect(await whileStopped(world(), (engine) => rowsOf(engine, [tom.id]))).toEqual([])
  })
})

test('[W12.15.7] without a sandbox, Bash is for owners and their visitors alone', async () => {
  await using world = await World.open('sqlite', { sandbox: 'none' })
  world.otherwise(() => ({ text: 'Hello' }))
  const { key } = await join(world, 'sam')
  const guest = await world.rest<{ token: string }>('POST', '/api/auth/tokens', { token: key, body: { subject: 'g' } })
  const own = await mint(world, 'anna')
  const offered: boolean[] = []
  for (const token of [OWNER_KEY, own.token, key, guest.body.token]) {
    const session_id = await world.newSession({}, token)
    await world.rest('POST', `/api/sessions/${session_id}/chat`, { token, body: { message: 'hello' } })
    offered.push(JSON.stringify(world.provider.requests.at(-1)).includes('"Bash"'))
  }
  expect(offered).toEqual([true, true, false, false])
})
