import type { ApiKey } from '@parley/protocol/rest'
import type { Session, TurnProjection } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { sharedWorld, STORES } from './world.ts'

const SESSION = '/api/sessions/{id}'

/** Every row of 11.1 – 11.3 and 11.5 that needs a credential. */
const ROUTES: [method: string, path: string, body?: object][] = [
  ['GET', '/api/config/models'],
  ['POST', '/api/sessions', {}],
  ['GET', '/api/sessions'],
  ['GET', SESSION],
  ['PATCH', SESSION, { intent: 'x' }],
  ['DELETE', SESSION],
  ['PATCH', `${SESSION}/pin`, { pinned: true }],
  ['PATCH', `${SESSION}/memory`, { memory_enabled: false }],
  ['PATCH', `${SESSION}/sharing`, { shared: false }],
  ['GET', `${SESSION}/messages`],
  ['POST', `${SESSION}/chat`, { message: 'x' }],
  ['POST', `${SESSION}/headless`, { message: 'x' }],
  ['GET', '/api/user/api-keys/'],
  ['POST', '/api/user/api-keys/', { name: 'x' }],
  ['GET', '/api/user/api-keys/{key}'],
  ['PATCH', '/api/user/api-keys/{key}', { name: 'y' }],
  ['DELETE', '/api/user/api-keys/{key}'],
]

/** Bodies and queries that make no sense. */
const INVALID: [method: string, path: string, body?: unknown][] = [
  ['POST', '/api/sessions', { intent: 7 }],
  ['POST', '/api/sessions', { model: 'gpt-99' }],
  ['POST', '/api/sessions', { disable_tools: 'Bash' }],
  ['POST', '/api/sessions', { env: { A: 1 } }],
  ['POST', '/api/sessions', { biz_role_id: 'role_1' }],
  ['POST', '/api/sessions', []],
  ['GET', '/api/sessions?limit=0'],
  ['GET', '/api/sessions?limit=101'],
  ['GET', '/api/sessions?offset=-1'],
  ['GET', '/api/sessions?limit=ten'],
  ['GET', '/api/sessions?status=odd'],
  ['PATCH', SESSION, { intent: { a: 1 } }],
  ['PATCH', `${SESSION}/pin`, {}],
  ['PATCH', `${SESSION}/pin`, { pinned: 'yes' }],
  ['PATCH', `${SESSION}/memory`, { memory_enabled: 1 }],
  ['PATCH', `${SESSION}/sharing`, { shared: null }],
  ['GET', `${SESSION}/messages?limit=0`],
  ['GET', `${SESSION}/messages?after=x`],
  ['POST', '/api/user/api-keys/', {}],
  ['POST', '/api/user/api-keys/', { name: '' }],
  ['POST', '/api/user/api-keys/', { name: 'x'.repeat(51) }],
  ['PATCH', '/api/user/api-keys/{key}', { name: 5 }],
]

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)

  async function own(): Promise<(path: string) => string> {
    const id = await world().newSession()
    const { body } = await world().rest<{ key: ApiKey }>('POST', '/api/user/api-keys/', { body: { name: 'own' } })
    return (path) => path.replace('{id}', id).replace('{key}', body.key.id)
  }

  test.each(ROUTES)(
    '[W11] %s %s without a credential, or with one that has expired, is 401',
    async (method, path, body) => {
      const fill = await own()
      for (const token of [null, world().expiredToken]) {
        const answer = await world().rest(method, fill(path), { body, token })
        expect(answer.status).toBe(401)
        expect(answer.body).toMatchObject({ code: 'unauthorized', detail: expect.any(String) })
      }
      expect((await world().rest('GET', fill(SESSION))).status).toBe(200)
    },
  )

  test.each(ROUTES.filter(([, path]) => path.includes('{')))(
    '[W11] %s %s of somebody else is 404',
    async (method, path, body) => {
      const fill = await own()
      const answer = await world().rest(method, fill(path), { body, token: world().strangersKey })
      expect(answer.status).toBe(404)
      expect(answer.body).toMatchObject({ code: expect.stringMatching(/not_found$/), detail: expect.any(String) })
      expect((await world().rest('GET', fill(SESSION))).body).toMatchObject({
        intent: '',
        is_pinned: false,
        status: 'created',
      })
      expect((await world().rest('GET', fill('/api/user/api-keys/{key}'))).body).toMatchObject({ name: 'own' })
    },
  )

  test.each(INVALID)('[W11] [WR-60] %s %s with %j is 422 with a text', async (method, path, body) => {
    const fill = await own()
    const answer = await world().rest(method, fill(path), { body })
    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({ detail: expect.any(String), code: expect.any(String) })
  })

  test('[W11.2] [WR-58] [WR-68] creating takes every field, answers 200 with the superset, and never gives back the environment', async () => {
    const created = await world().rest<Session & { session_id: string }>('POST', '/api/sessions', {
      body: {
        intent: 'Quarterly report',
        template_id: 'old',
        software_factory_id: 3,
        workspace_id: 'w',
        model: 'fake-model',
        memory_enabled: false,
        is_persistent: true,
        env: { TOKEN: 'hush-hush' },
        disable_tools: ['Bash'],
        something_new: true,
      },
    })
    expect(created.status).toBe(200)
    expect(created.headers.get('cache-control')).toBe('no-store')
    expect(created.body).toMatchObject({
      session_id: created.body.id,
      intent: 'Quarterly report',
      status: 'created',
      user_id: expect.stringMatching(/^user_/),
      solution_id: null,
      biz_role_id: null,
      model: 'fake-model',
      shared: false,
      is_pinned: false,
      memory_enabled: false,
      is_persistent: true,
      replay_state: null,
      mode: 'executing',
      last_event_seq: 0,
      agent: null,
    })
    const detail = await world().rest('GET', `/api/sessions/${created.body.id}`)
    expect(detail.body).toMatchObject({
      solution: null,
      primary_skill_snapshot: null,
      session_setup: { model: 'fake-model', mode: 'executing', disable_tools: ['Bash'], memory_enabled: false },
      viewer_role: 'owner',
      pending_question: null,
    })
    expect(JSON.stringify([created.body, detail.body])).not.toContain('hush-hush')
  })

  test('[W11.2] a tool that the session has switched off is not offered', async () => {
    world().learn({ 'what may you do?': [{ text: 'Little.' }] })
    const session_id = await world().newSession({ disable_tools: ['Bash', 'Write'] })
    await using chat = await world().chat({ session_id })
    await chat.run('what may you do?')
    const { tools } = world().requests('what may you do?')[0]!
    expect(tools).toContain('Read')
    for (const name of ['Bash', 'Write']) expect(tools).not.toContain(name)
  })

  test('[W11.2] [WR-59] the list is paged, pinned first, newest next, and searches titles and text', async () => {
    world().learn({ 'a zebra crossing': [{ text: 'Mind the okapi.' }] })
    const ids = [await world().newSession({ intent: 'first' }), await world().newSession({ intent: 'second' })]
    await using chat = await world().chat({ session_id: ids[0]! })
    await chat.run('a zebra crossing')
    await world().rest('PATCH', `/api/sessions/${ids[1]}/pin`, { body: { pinned: true } })
    const list = async (query: string) =>
      (
        await world().rest<{ items: Session[]; total: number; limit: number; offset: number }>(
          'GET',
          `/api/sessions${query}`,
        )
      ).body
    const page = await list('?limit=2')
    expect(page.items.map(({ id }) => id)).toEqual([ids[1], ids[0]])
    expect(page).toMatchObject({ limit: 2, offset: 0, content_match_truncated: false })
    expect((await list('?limit=1&offset=1')).items.map(({ id }) => id)).toEqual([ids[0]])
    for (const q of ['zebra', 'okapi', 'first'])
      expect(
        (await list(`?q=${q}`)).items.map(({ id }) => id),
        q,
      ).toEqual([ids[0]])
    expect((await list('?template_id_prefix=x')).total).toBe(0)
    expect((await list('?status=completed')).items.map(({ id }) => id)).toContain(ids[0])
  })

  test('[W11.2] renaming tells subscribers; deleting stops the run, tells them, and leaves nothing', async () => {
    world().learn({ 'never ends': [{ text: 'Going', hang: 'after' }] })
    await using chat = await world().chat()
    const path = `/api/sessions/${chat.session_id}`
    expect((await world().rest('PATCH', path, { body: { intent: 'Renamed' } })).body).toMatchObject({
      intent: 'Renamed',
    })
    expect((await chat.until('session:updated')).payload).toMatchObject({ intent: 'Renamed' })
    await chat.send('never ends')
    await chat.told('T1 text: Going')
    expect((await world().rest('DELETE', path)).body).toEqual({ deleted: true })
    await chat.until('session:deleted')
    expect(await world().requests('never ends')[0]!.closed).toBe('aborted')
    for (const tail of ['', '/messages']) expect((await world().rest('GET', path + tail)).status).toBe(404)
    expect(await chat.send('hello?')).toMatchObject({ code: 'session_not_found' })
  })

  test('[W11.3] messages: a bare array, with the turn that is streaming right now, paged by after and limit', async () => {
    world().learn({ 'page one': [{ text: 'One.' }], 'page two': [{ text: 'Stre', hang: 'after' }] })
    await using chat = await world().chat()
    await chat.run('page one')
    const ack = await chat.send('page two')
    await chat.told('T3 text: Stre')
    const read = async (query: string) =>
      (await world().rest<TurnProjection[]>('GET', `/api/sessions/${chat.session_id}/messages${query}`)).body
    const all = await read('')
    expect(all.map(({ sequence, status }) => [sequence, status])).toEqual([
      [0, 'completed'],
      [1, 'completed'],
      [2, 'completed'],
      [3, 'streaming'],
    ])
    expect(all[3]!.blocks).toMatchObject([{ content: 'Stre' }])
    expect((await read('?limit=2')).map(({ sequence }) => sequence)).toEqual([2, 3])
    expect((await read('?after=0&limit=2')).map(({ sequence }) => sequence)).toEqual([1, 2])
    expect(await read('?after=3')).toEqual([])
    await chat.stop()
    await chat.ended(ack)
  })

  test('[W11.5] [WR-56] [WR-62] keys: shown once, masked ever after, with and without a trailing slash, dead when deleted', async () => {
    const { status, body } = await world().rest<{ key: ApiKey; plaintext: string }>('POST', '/api/user/api-keys', {
      body: { name: 'ci' },
    })
    expect(status).toBe(201)
    const { key, plaintext } = body
    expect(plaintext).toMatch(/^sk-blade-v2-/)
    expect(key).toMatchObject({
      id: expect.stringMatching(/^key_/),
      name: 'ci',
      plaintext: null,
      masked: `sk-blade-v2-...${plaintext.slice(-4)}`,
    })
    for (const path of ['/api/user/api-keys', '/api/user/api-keys/', `/api/user/api-keys/${key.id}`]) {
      const answer = await world().rest('GET', path)
      expect(answer.status).toBe(200)
      expect(JSON.stringify(answer.body)).toContain(key.id)
      expect(JSON.stringify(answer.body)).not.toContain(plaintext)
    }
    expect((await world().rest('GET', '/api/sessions', { token: plaintext })).status).toBe(200)
    expect((await world().rest('DELETE', `/api/user/api-keys/${key.id}/`)).status).toBe(204)
    expect((await world().rest('GET', '/api/sessions', { token: plaintext })).status).toBe(401)
  })

  test('[W11.1] health is open, the models are not', async () => {
    for (const path of ['/api/health', '/healthz'])
      expect(await world().rest('GET', path, { token: null })).toMatchObject({ status: 200, body: { status: 'ok' } })
    expect((await world().rest('GET', '/api/config/models')).body).toMatchObject({
      default: 'fake-model',
      models: [{ id: 'fake-model', name: expect.any(String) }],
    })
  })

  test.each([
    '/api/sessions/{id}/turns',
    '/api/api-keys',
    '/api/sessions/{id}/mode',
    '/api/prod_agents/x',
    '/api/nothing',
  ])('[WR-63] [W13] %s is not there', async (path) => {
    const fill = await own()
    expect(await world().rest('GET', fill(path))).toMatchObject({ status: 404, body: { detail: 'Not Found' } })
  })
})

describe('what nothing is behind', () => {
  const world = sharedWorld()

  test.each([['replay_decision', 'keep_replay']])(
    '[W0] [W12.4] a message with %s is refused by name, on the socket and over REST, and nothing starts',
    async (field, value) => {
      await using chat = await world().chat()
      const refusal = { code: 'not_supported', message: expect.stringContaining(field) }
      expect(await chat.send('hi', { [field]: value })).toMatchObject({ status: 'error', ...refusal })
      const rest = await world().rest('POST', `/api/sessions/${chat.session_id}/chat`, {
        body: { message: 'hi', [field]: value },
      })
      expect([rest.status, rest.body['code']]).toEqual([501, 'not_supported'])
      expect(rest.body['detail']).toContain(field)
      expect(await chat.messages()).toEqual([])
      expect((await chat.session()).status).toBe('created')
    },
  )

  test('[W0] [W11.2] fields of a new session that have no effect are named, and the session does not claim them', async () => {
    const body = { template_id: 't', software_factory_id: 1, workspace_id: 'w' }
    const created = await world().rest('POST', '/api/sessions', { body })
    expect(created).toMatchObject({ status: 200, body: { ignored: Object.keys(body) } })
    const plain = await world().rest('POST', '/api/sessions', { body: { memory_enabled: false, template_id: null } })
    expect(plain.body).not.toHaveProperty('ignored')
    const config = await world().rest('GET', '/api/config')
    expect(config.body).toMatchObject({ memoryEnabled: true, publicSharingEnabled: true, asrEnabled: false })
  })
})
