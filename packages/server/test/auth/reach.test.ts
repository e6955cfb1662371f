import { commandSchemas } from '@parley/protocol/schemas'
import type { CreatedToken } from '@parley/protocol/rest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectClient } from '../face/client.ts'
import { type RestOptions, STORES, World } from '../wire/world.ts'
import { COMMANDS, FORM, RULES } from './route-rules.ts'
import { ALL_SCOPES, mint, watchRoutes } from './visitors.ts'

const SAME: Record<string, string> = { UNAUTHORIZED: 'forbidden', NOT_FOUND: 'not_found' }

/** As if it were somebody else's. */
const REFUSED: unknown = expect.stringMatching(/^(?:forbidden|session_not_found)$/)

const rules = [{ tool: 'Bash', decision: 'ask' as const }]

describe.each(STORES)('on %s', (store) => {
  let world: World
  let routes: Set<string>
  let anna: CreatedToken
  let ben: CreatedToken
  let hers: { session_id: string; confirmation: string; memory: number }

  beforeAll(async () => {
    using watched = watchRoutes()
    world = await World.open(store, { policy: { rules, headless: 'deny', confirmationMinutes: 15 } })
    routes = watched.routes
    world.learn({
      'may I': [{ calls: [{ name: 'Bash', arguments: { command: 'rm secrets' } }] }, { text: 'Done' }],
      'hello over REST': [{ text: 'Hello' }],
      'hello by socket': [{ text: 'Hello' }],
    })
    anna = await mint(world, 'anna')
    ben = await mint(world, 'ben')
    hers = await belongings(anna)
  })
  afterAll(async () => world?.[Symbol.asyncDispose]())

  /** A session with a file and a confirmation that waits. */
  async function belongings({ token }: CreatedToken) {
    const session_id = await world.newSession({ intent: 'a secret plan' }, token)
    const body = { content: 'a secret' }
    const put = await world.rest('PUT', `/api/sessions/${session_id}/files/a.txt`, { token, body })
    expect(put.status).toBe(200)
    const kept = await world.rest<{ id: number }>('POST', '/api/memories', { token, body: { content: 'a quiet wish' } })
    await using client = await world.connect({ token })
    await client.ask('chat:send', { session_id, message: 'may I' })
    await client.until('chat:end')
    const page = await world.rest<{ items: { id: string; session_id: string }[] }>('GET', '/api/confirmations', {
      token,
    })
    const confirmation = page.body.items.find((one) => one.session_id === session_id)!.id
    return { session_id, confirmation, memory: kept.body.id }
  }

  async function ask(route: string, token: string, ids: typeof hers) {
    const answer = await asked(route, token, ids)
    // The words of another protocol.
    const code = (answer.body['error'] as { code?: string } | undefined)?.code
    return code === undefined ? answer : { ...answer, body: { ...answer.body, code: SAME[code] ?? code } }
  }

  function asked(route: string, token: string, ids: typeof hers) {
    const [method, pattern] = route.split(' ') as [string, string]
    const { body, query = '' } = RULES[route]!
    const path = pattern

      .replace(/:session_?[iI]d/, ids.session_id)
      .replace('confirmations/:id', `confirmations/${ids.confirmation}`)
      .replace('memories/:id', `memories/${ids.memory}`)
      .replace(':task_id', 'bg_1')
      .replace('/*', '/a.txt')
      .replace(':version(^[0-9a-f]+)', 'abc')
      .replace(/\/:[a-z_]+/, '/some-id')
      .replace('::', ':')
    if (body !== FORM) return world.rest(method, path + query, { token, ...(body !== undefined && { body }) })
    const form = '--x\r\ncontent-disposition: form-data; name="files"; filename="b.txt"\r\n\r\nhi\r\n--x--\r\n'
    const headers: RestOptions['headers'] = { 'content-type': 'multipart/form-data; boundary=x' }
    return world.rest(method, path, { token, body: form, headers })
  }

  test('every route says whom it is for, here too', () => {
    const known = [...routes].filter((route) => !route.startsWith('HEAD ')).sort()
    expect(known).toEqual(Object.keys(RULES).sort())
  })

  test('one visitor reaches nothing of another, on any route', async () => {
    for (const [route, { for: whom, isOwned }] of Object.entries(RULES)) {
      if (whom === 'everybody') continue
      const { status, body } = await ask(route, ben.token, hers)
      const told = `${route}: ${status} ${JSON.stringify(body)}`
      if (whom === 'account' || whom === 'owner') expect(told).toContain(`${route}: 403`)
      else if (isOwned) expect(told).toMatch(/: 404 .*"(?:session_)?not_found"/)
      else expect(told).toMatch(/: 20\d /)
      expect(told.replaceAll(hers.session_id, '').replaceAll(hers.confirmation, '')).not.toMatch(/secret|anna/)
      expect(told).not.toContain(anna.user_id)
    }
    // And nothing of hers has changed.
    const { token } = anna
    const session = await world.rest('GET', `/api/sessions/${hers.session_id}`, { token })
    expect(session.body).toMatchObject({ intent: 'a secret plan', status: 'waiting_for_input', is_pinned: false })
    const file = await world.rest('GET', `/api/sessions/${hers.session_id}/files/a.txt`, { token })
    expect(file.body).toBe('a secret')
    const memory = await world.rest('GET', `/api/memories/${hers.memory}`, { token })
    expect(memory.body).toMatchObject({ content: 'a quiet wish', disabled: false })
  })

  test('HEAD gives away no more than GET', async () => {
    for (const route of [...routes].filter((one) => one.startsWith('HEAD '))) {
      const { for: whom, isOwned } = RULES[route.replace('HEAD', 'GET')]!
      if (whom === 'everybody') continue
      const path = route
        .split(' ')[1]!
        .replace(/:session_?[iI]d/, hers.session_id)
        .replace('/*', '/a.txt')
      const headers = { authorization: `Bearer ${ben.token}` }
      const { status } = await fetch(world.url + path.replace(/\/:[a-z_]+/, '/x'), { method: 'HEAD', headers })
      if (whom === 'account' || whom === 'owner') expect([route, status]).toEqual([route, 403])
      else if (isOwned) expect([route, status]).toEqual([route, 404])
    }
  })

  test('one visitor reaches nothing of another, with any event of the socket', async () => {
    expect(Object.keys(COMMANDS).sort()).toEqual(Object.keys(commandSchemas).sort())
    await using hersToo = await world.connect({ token: anna.token })
    await hersToo.ask('session:subscribe', { session_id: hers.session_id })
    await using client = await world.connect({ token: ben.token })
    for (const [name, more] of Object.entries(COMMANDS)) {
      const ack = await client.ask(name, { session_id: hers.session_id, ...more })
      if (name === 'session:unsubscribe') expect(ack).toMatchObject({ status: 'ok' })
      else expect([name, ack]).toMatchObject([name, { status: 'error', code: 'session_not_found' }])
    }
    expect(await client.ask('auth:renew', { token: anna.token })).toMatchObject({ code: 'forbidden' })
    expect(await client.ask('session:subscribe', { session_id: hers.session_id })).toMatchObject({ status: 'error' })
    expect(client.names().filter((name) => !['system:error', 'auth:expires'].includes(name))).toEqual([])
    expect(hersToo.names().filter((name) => name === 'chat:start')).toEqual([])
  })

  test.each(ALL_SCOPES)('with %s alone a visitor gets that and nothing else', async (scope) => {
    const { token } = await mint(world, 'carla', { scopes: [scope] })
    const whole = await mint(world, 'carla')
    const ids = await belongings(whole)
    const inOrder = Object.entries(RULES).sort(([, a], [, b]) => Number(a.isLast ?? 0) - Number(b.isLast ?? 0))
    for (const [route, { for: whom }] of inOrder) {
      if (whom === 'everybody') continue
      const { status, body } = await ask(route, token, ids)
      if (whom !== scope) expect([route, status, body['code']]).toEqual([route, 403, 'forbidden'])
      else expect([route, status, body['code']]).not.toEqual([route, expect.anything(), REFUSED])
    }
    await using client = await world.connect({ token })
    for (const [name, more] of Object.entries(COMMANDS)) {
      const ack = await client.ask(name, { session_id: ids.session_id, ...more })
      if (scope !== 'chat') expect([name, ack['code']]).toEqual([name, 'forbidden'])
      else expect([name, ack['code']]).not.toEqual([name, 'forbidden'])
    }
  })

  test('what sets an agent up is the account’s to say, field by field', async () => {
    const { token } = ben
    const refused = {
      env: { A: 'b' },
      disable_tools: ['Read'],
      is_persistent: true,
      primary_skill_id: 'a/b',
      solution_id: 's',
      biz_role_id: 'r',
    }
    for (const [field, value] of Object.entries(refused))
      expect(await world.rest('POST', '/api/sessions', { token, body: { [field]: value } })).toMatchObject({
        status: 403,
        body: { code: 'forbidden', fields: [field] },
      })
    const body = { intent: 'mine', model: 'fake-model', memory_enabled: false, is_persistent: false, env: null }
    expect((await world.rest('POST', '/api/sessions', { token, body })).status).toBe(200)
    const session_id = await world.newSession({}, token)
    const message = { message: 'hello over REST', runtime_env: { PATH: '/tmp' } }
    for (const path of ['chat', 'headless'])
      expect(await world.rest('POST', `/api/sessions/${session_id}/${path}`, { token, body: message })).toMatchObject({
        status: 403,
        body: { code: 'forbidden', fields: ['runtime_env'] },
      })
    await using client = await world.connect({ token })
    expect(await client.ask('chat:send', { session_id, ...message })).toMatchObject({ code: 'forbidden' })
  })

  test('an attachment is a file: it needs files', async () => {
    const { token } = await mint(world, 'dora', { scopes: ['chat'] })
    const session_id = await world.newSession({}, token)
    const parts = [
      { type: 'file', name: 'a.txt', data: 'YQ==' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,YQ==' } },
    ]
    await using client = await world.connect({ token })
    for (const part of parts)
      expect(await client.ask('chat:send', { session_id, message: [part] })).toMatchObject({
        code: 'forbidden',
        detail: { scope: 'files' },
      })
    const text = [{ type: 'text', text: 'hello by socket' }]
    expect(await client.ask('chat:send', { session_id, message: text })).toMatchObject({ status: 'ok' })
    const append = await client.ask('chat:append', { session_id, message: parts })
    expect(append).toMatchObject({ code: expect.stringMatching(/forbidden/) })
  })

  test('the account sees a visitor’s session when it names the visitor, and only then', async () => {
    const id = `/api/sessions/${hers.session_id}`
    for (const path of [id, `${id}/messages`, `${id}/history`, `${id}/files/a.txt`, `${id}/tasks`]) {
      expect([path, (await world.rest('GET', path)).status]).toEqual([path, 404])
      expect([path, (await world.rest('GET', `${path}?subject=ben`)).status]).toEqual([path, 404])
      expect([path, (await world.rest('GET', `${path}?subject=nobody`)).status]).toEqual([path, 404])
      expect([path, (await world.rest('GET', `${path}?subject=anna`)).status]).toEqual([path, 200])
    }
    const list = (query: string) =>
      world.rest<{ items: { id: string }[]; total: number }>('GET', `/api/sessions${query}`)
    const ids = async (query: string) => (await list(query)).body.items.map((one) => one.id)
    expect(await ids('')).not.toContain(hers.session_id)
    expect(await ids('?subject=anna')).toEqual([hers.session_id])
    expect(await ids('?subject=anna&q=plan')).toEqual([hers.session_id])
    expect((await list('?subject=anna')).body).not.toHaveProperty('ignored')
    expect((await list('?subject=nobody')).body).toMatchObject({ items: [], total: 0 })
    // Another account has no visitor of that name.
    const token = world.strangersKey
    expect((await world.rest('GET', `${id}?subject=anna`, { token })).status).toBe(404)
    // Nor may a visitor name anybody, and the account may not speak for one.
    expect((await world.rest('GET', '/api/sessions?subject=anna', { token: ben.token })).status).toBe(403)
    const spoken = await world.rest('POST', `${id}/chat?subject=anna`, { body: { message: 'hello over REST' } })
    expect(spoken).toMatchObject({ status: 422, body: { code: 'invalid_payload' } })
    expect((await world.rest('POST', '/api/sessions?subject=anna', { body: {} })).status).toBe(422)
    const gone = await world.newSession({}, anna.token)
    expect((await world.rest('DELETE', `/api/sessions/${gone}`)).status).toBe(404)
    expect((await world.rest('DELETE', `/api/sessions/${gone}?subject=anna`)).body).toEqual({ deleted: true })
  })

  test('two tabs of one visitor are one visitor', async () => {
    const again = await mint(world, 'anna')
    expect(again.user_id).toBe(anna.user_id)
    expect((await world.rest('GET', `/api/sessions/${hers.session_id}`, { token: again.token })).status).toBe(200)
    await using client = await connectClient(world.url, { token: again.token })
    expect(await client.ask('session:subscribe', { session_id: hers.session_id })).toMatchObject({ status: 'ok' })
  })
})
