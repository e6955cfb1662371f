import type { CommandName } from '@parley/protocol'
import { commandSchemas } from '@parley/protocol/schemas'
import type { CreatedToken } from '@parley/protocol/rest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectClient } from '../face/client.ts'
import { type RestOptions, STORES, World } from '../wire/world.ts'
import { ALL_SCOPES, mint, watchRoutes } from './visitors.ts'

type Rule = {
  /** Whom it is for: everybody, the account, or visitors with this scope. */
  for: 'everybody' | 'account' | 'chat' | 'files' | 'decide'
  /** What to send so that it would work on something of one's own. */
  body?: unknown
  query?: string
  /** The path names something that belongs to one visitor. */
  isOwned?: true
  /** It ends what it is asked about, or cannot be asked twice. */
  isLast?: true
}

const ONE = '/api/sessions/:session_id'
const owned = (scope: 'chat' | 'files', more: Partial<Rule> = {}): Rule => ({ for: scope, isOwned: true, ...more })
const FORM = { raw: true }

/** The same under both prefixes. */
const knowledge = (at: string): Record<string, Rule> => ({
  [`POST ${at}`]: { for: 'account', body: {} },
  [`GET ${at}`]: { for: 'account' },
  [`GET ${at}/categories`]: { for: 'account' },
  [`POST ${at}/search`]: { for: 'account', body: { query: 'q' } },
  [`GET ${at}/:id`]: { for: 'account' },
  [`PATCH ${at}/:id`]: { for: 'account', body: {} },
  [`DELETE ${at}/:id`]: { for: 'account' },
  [`GET ${at}/collections`]: { for: 'account' },
  [`PUT ${at}/collections/:name`]: { for: 'account', body: {} },
  [`DELETE ${at}/collections/:name`]: { for: 'account' },
  [`PUT ${at}/files`]: { for: 'account' },
})

/** Every route there is. A new one fails the first test until somebody has thought about visitors. */
const RULES: Record<string, Rule> = {
  'GET /': { for: 'everybody' },
  'GET /chat': { for: 'everybody' },
  'GET /chat/card': { for: 'everybody' },
  'POST /chat/stream': { for: 'chat', body: { user_input: 'hello' } },
  'POST /chat/get_analyse_by_code_result': { for: 'chat', isOwned: true, body: { analyse_id: 1 } },
  'GET /api/models/configs': { for: 'account' },
  'POST /api/models/configs': { for: 'account', body: {} },
  'POST /api/models/configs/test-connection': { for: 'account', body: {} },
  'GET /api/models/configs/:id': { for: 'account' },
  'PUT /api/models/configs/:id': { for: 'account', body: {} },
  'DELETE /api/models/configs/:id': { for: 'account' },
  'PATCH /api/models/configs/:id/status': { for: 'account', query: '?is_active=true' },
  'GET /embed.js': { for: 'everybody' },
  'GET /embed/:name': { for: 'everybody' },
  'GET /api/health': { for: 'everybody' },
  'GET /healthz': { for: 'everybody' },
  'GET /api/version': { for: 'everybody' },
  'GET /api/auth/login': { for: 'everybody' },
  'GET /api/auth/me': { for: 'chat' },
  'POST /api/auth/refresh': { for: 'account' },
  'POST /api/auth/sign-in-links': { for: 'account' },
  'POST /api/auth/logout': { for: 'account' },
  'GET /api/user/api-keys': { for: 'account' },
  'POST /api/user/api-keys': { for: 'account', body: { name: 'mine' } },
  'GET /api/user/api-keys/:key_id': { for: 'account' },
  'PATCH /api/user/api-keys/:key_id': { for: 'account', body: { name: 'mine' } },
  'DELETE /api/user/api-keys/:key_id': { for: 'account' },
  'POST /api/auth/tokens': { for: 'account', body: { subject: 'me' } },
  'GET /api/auth/tokens': { for: 'account' },
  'DELETE /api/auth/tokens': { for: 'account', query: '?subject=anna' },
  'DELETE /api/auth/tokens/:id': { for: 'account' },
  'GET /api/config/models': { for: 'chat' },
  'GET /api/config': { for: 'chat' },
  'GET /api/tools': { for: 'account' },
  'POST /api/tools/:name/approve': { for: 'account', body: { digest: 'x' } },
  'GET /api/agents': { for: 'chat' },
  'GET /api/agents/:name': { for: 'account' },
  'POST /api/agents/:name/versions/:use': { for: 'account' },
  'GET /api/solutions': { for: 'account' },
  'GET /api/solutions/:solution_id/biz-roles': { for: 'account' },
  'GET /api/solutions/:solution_id/files/*': { for: 'account' },
  'POST /api/tool-calls/:call_id/result': { for: 'everybody' },
  'GET /api/http-tools': { for: 'account' },
  'POST /api/http-tools': { for: 'account', body: {} },
  'GET /api/http-tools/:name': { for: 'account' },
  'PUT /api/http-tools/:name': { for: 'account', body: {} },
  'DELETE /api/http-tools/:name': { for: 'account' },
  'GET /api/skills': { for: 'account' },
  'GET /api/skills/installed': { for: 'account' },
  'GET /api/skills/search': { for: 'account', query: '?q=a' },
  'GET /api/skills/*': { for: 'account' },
  [`GET ${ONE}/skills`]: { for: 'account' },
  [`GET ${ONE}/skill-stats`]: { for: 'account' },
  [`POST ${ONE}/skills::upload`]: { for: 'account', body: {} },
  [`POST ${ONE}/skills::resync`]: { for: 'account' },
  [`POST ${ONE}/skills/install`]: { for: 'account', body: { skill_id: 'x' } },
  'POST /api/sessions': { for: 'chat', body: { intent: 'mine' } },
  'GET /api/sessions': { for: 'chat' },
  [`GET ${ONE}`]: owned('chat'),
  [`PATCH ${ONE}`]: owned('chat', { body: { intent: 'renamed' } }),
  [`DELETE ${ONE}`]: owned('chat', { isLast: true }),
  [`PATCH ${ONE}/pin`]: owned('chat', { body: { pinned: true } }),
  [`PATCH ${ONE}/memory`]: owned('chat', { body: { memory_enabled: true } }),
  [`PATCH ${ONE}/sharing`]: { for: 'account', body: { shared: true } },
  [`GET ${ONE}/export`]: { for: 'account' },
  'POST /api/sessions/preview-import': { for: 'account', body: FORM },
  'POST /api/sessions/import': { for: 'account', body: FORM },
  [`PUT ${ONE}/env`]: { for: 'account', body: { env: {} } },
  [`POST ${ONE}/share`]: { for: 'account', body: {} },
  [`GET ${ONE}/shares`]: { for: 'account' },
  [`DELETE ${ONE}/share/:token`]: { for: 'account' },
  'GET /api/share/:token': { for: 'everybody' },
  'GET /share/:token': { for: 'everybody' },
  [`GET ${ONE}/messages`]: owned('chat'),
  [`GET ${ONE}/history`]: { for: 'account' },
  [`POST ${ONE}/compact`]: owned('chat'),
  [`GET ${ONE}/context-stats`]: owned('chat'),
  [`GET ${ONE}/checkpoints`]: owned('chat'),
  [`POST ${ONE}/rewind`]: owned('chat', { body: { checkpoint_id: 'cp_1' } }),
  [`POST ${ONE}/checkout`]: owned('chat', { body: { checkpoint_id: 'cp_1' } }),
  [`POST ${ONE}/switch-branch`]: owned('chat', { body: { checkpoint_id: 'cp_1' } }),
  'POST /api/sessions/tokenize/prompt': { for: 'account', body: { prompt: 'hello' } },
  'POST /api/sessions/tokenize/messages': { for: 'account', body: { messages: [] } },
  [`GET ${ONE}/model-calls`]: { for: 'account' },
  [`GET ${ONE}/model-calls/:event_seq`]: { for: 'account' },
  [`GET ${ONE}/feedback`]: owned('chat'),
  [`PUT ${ONE}/messages/:turn_id/feedback`]: owned('chat', { body: { value: 'like' } }),
  [`GET ${ONE}/suggestions`]: owned('chat'),
  'GET /api/feedback': { for: 'account' },
  [`GET ${ONE}/sources/:ref`]: owned('chat'),
  ...knowledge('/api/knowledge'),
  ...knowledge('/api/agent/knowledge'),
  'GET /api/demo/crash': { for: 'account' },
  'POST /api/demo/crash': { for: 'account' },
  [`POST ${ONE}/chat`]: owned('chat', { body: { message: 'hello over REST' } }),
  [`POST ${ONE}/headless`]: owned('chat', { body: { message: 'hello over REST' } }),
  [`GET ${ONE}/tasks`]: owned('chat'),
  [`GET ${ONE}/background-tasks`]: owned('chat'),
  [`GET ${ONE}/background-tasks/:task_id`]: owned('chat'),
  [`POST ${ONE}/background-tasks/:task_id/stop`]: owned('chat'),
  [`GET ${ONE}/ls`]: owned('files'),
  [`GET ${ONE}/ls/*`]: owned('files'),
  [`GET ${ONE}/download-dir`]: owned('files'),
  [`GET ${ONE}/download-dir/*`]: owned('files'),
  [`GET ${ONE}/files/*`]: owned('files'),
  [`PUT ${ONE}/files/*`]: owned('files', { body: { content: 'overwritten' } }),
  [`POST ${ONE}/files/*`]: owned('files', { body: {} }),
  [`DELETE ${ONE}/files/*`]: owned('files', { isLast: true }),
  [`POST ${ONE}/share-file`]: owned('files', { body: { source_path: 'a.txt' } }),
  [`POST ${ONE}/upload`]: owned('files', { body: FORM }),
  [`POST ${ONE}/upload/*`]: owned('files', { body: FORM }),
  'POST /api/agent/chat/stream': { for: 'chat', body: { message: 'hello over REST' } },
  'GET /api/agent/chat/stream': {
    for: 'chat',
    query: '?sessionId=mine&messageId=m1&message=hello+over+REST',
  },
  'POST /api/agent/chat': { for: 'chat', body: { message: 'hello over REST' } },
  'POST /api/agent/chat/cancel': { for: 'chat', isOwned: true, body: { sessionId: 'nobodys' } },
  'GET /api/agent/sessions/:sessionId/messages': owned('chat'),
  'GET /api/agent/sessions/:sessionId/confirmation': owned('chat'),
  'GET /api/agent/tools': { for: 'account' },
  'GET /api/memories': { for: 'chat' },
  'POST /api/memories': { for: 'chat', body: { content: 'I like tea' } },
  'POST /api/memories/batch': {
    for: 'chat',
    body: { action: 'delete', ids: [1, 2, 3, 4, 5, 6, 7, 8, 9] },
    isLast: true,
  },
  'GET /api/memories/:id': owned('chat'),
  'PUT /api/memories/:id': owned('chat', { body: { content: 'overwritten' } }),
  'PATCH /api/memories/:id': owned('chat', { body: { disabled: true } }),
  'DELETE /api/memories/:id': owned('chat', { isLast: true }),
  'GET /api/confirmations': { for: 'decide' },
  'POST /api/confirmations/:id': { for: 'decide', isOwned: true, body: { decision: 'reject' }, isLast: true },
}

const SAME: Record<string, string> = { UNAUTHORIZED: 'forbidden', NOT_FOUND: 'not_found' }

/** By its command: what the socket is asked, about a session. */
const COMMANDS: Record<CommandName, object> = {
  'session:subscribe': { since: 0 },
  'session:unsubscribe': {},
  'chat:send': { message: 'hello by socket' },
  'chat:stop': {},
  'chat:compact': {},
  'chat:append': { message: 'and this' },
}

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
      if (whom === 'account') expect(told).toContain(`${route}: 403`)
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
      if (whom === 'account') expect([route, status]).toEqual([route, 403])
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
