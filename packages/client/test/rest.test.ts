import { ParleyApiError, ParleyClient } from '@parley/client'
import { afterEach, expect, test, vi } from 'vitest'
import { setUp } from './fast-client.ts'
import { KEY } from './scripted-server.ts'

afterEach(() => vi.unstubAllGlobals())

test.each([
  ['a trailing slash is removed', 'http://127.0.0.1:8020/', 'http://127.0.0.1:8020/x'],
  ['a plain origin stays', 'https://agent.example', 'https://agent.example/x'],
])('[W14.1] baseUrl: %s', (_name, baseUrl, url) => {
  expect(new ParleyClient({ baseUrl }).buildAuthedUrl('/x')).toBe(url)
})

test.each([
  ['a path', 'http://127.0.0.1:8020/api', 'without a path'],
  ['no address at all', 'localhost', 'must be an http'],
  ['nothing, outside a browser', '', 'baseUrl is empty'],
])('[W14.1] baseUrl with %s throws', (_name, baseUrl, message) => {
  expect(() => new ParleyClient({ baseUrl })).toThrow(message)
})

test('[W14.1] an empty baseUrl is the page’s own origin in a browser', () => {
  vi.stubGlobal('document', {})
  vi.stubGlobal('location', { origin: 'https://shop.example' })
  expect(new ParleyClient({ baseUrl: '' }).buildAuthedUrl('x')).toBe('https://shop.example/x')
})

test.each([
  ['nothing', [], { intent: '' }],
  ['a template', ['x', 'tpl', 'skill_1'], { intent: 'x', template_id: 'tpl', primary_skill_id: 'skill_1' }],
  ['options', ['x', { solution_id: 's', biz_role_id: 'r' }], { intent: 'x', solution_id: 's', biz_role_id: 'r' }],
] as const)('[WR-73] createSession takes %s', async (_name, args, body) => {
  await using setup = await setUp()
  const created = await setup.client.sessions.createSession(...(args as unknown as [string?, object?, string?]))
  expect(created).toMatchObject({ session_id: 'sess_1', id: 'sess_1' })
  expect(setup.server.requests[0]).toMatchObject({ method: 'POST', url: '/api/sessions', body })
})

test('[W14.1] every call carries the token, a getter’s as it is at that moment', async () => {
  await using setup = await setUp()
  const { server } = setup
  let token = 'sk-old'
  const client = new ParleyClient({ baseUrl: server.url, token: () => token })
  await expect(client.sessions.listSessions()).rejects.toThrow('Unknown key.')
  token = KEY
  expect(await client.sessions.listSessions()).toEqual([])
  expect(server.requests.map(({ authorization }) => authorization)).toEqual(['Bearer sk-old', `Bearer ${KEY}`])
})

test('[W14.1] a failed call rejects with ParleyApiError: status, detail and code', async () => {
  await using setup = await setUp()
  const failed = await setup.client.sessions.getSession('sess_nowhere').catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(ParleyApiError)
  expect(failed).toMatchObject({ status: 404, detail: 'No such session.', code: 'session_not_found' })
})

test('an error page of a proxy still becomes a readable error', async () => {
  await using setup = await setUp()
  setup.server.routes['GET /api/auth/me'] = () => ({ status: 502 })
  const failed = setup.client.auth.getMe()
  await expect(failed).rejects.toMatchObject({ status: 502, detail: 'The server answered with status 502.' })
})

test('[W14.1] listSessions reads all pages', async () => {
  await using setup = await setUp()
  for (let count = 0; count < 130; count += 1) setup.server.session()
  expect(await setup.client.sessions.listSessions()).toHaveLength(130)
  expect(await setup.client.sessions.listSessionsPaginated({ limit: 7 })).toMatchObject({
    total: 130,
    items: { length: 7 },
  })
})

test('[W14.1] a 401 in a browser is followed by one refresh and one retry, shared by calls that fail together', async () => {
  await using setup = await setUp()
  const { server } = setup
  vi.stubGlobal('document', {})
  vi.stubGlobal('location', { origin: server.url })
  let isSignedIn = false
  server.routes['GET /api/auth/me'] = () =>
    isSignedIn ? { status: 200, body: { id: 'user_1' } } : { status: 401, body: { detail: 'Sign in.' } }
  server.routes['POST /api/auth/refresh'] = () => {
    isSignedIn = true
    return { status: 200, body: { ok: true } }
  }
  const client = new ParleyClient({ baseUrl: '' })
  expect(await Promise.all([client.auth.getMe(), client.auth.getMe()])).toEqual([{ id: 'user_1' }, { id: 'user_1' }])
  expect(server.requests.filter(({ url }) => url === '/api/auth/refresh')).toHaveLength(1)
})

test('[W14.1] a 401 that a refresh does not cure is reported, after one retry at most', async () => {
  await using setup = await setUp()
  const { server } = setup
  vi.stubGlobal('document', {})
  vi.stubGlobal('location', { origin: server.url })
  server.routes['POST /api/auth/refresh'] = () => ({ status: 200, body: { ok: true } })
  await expect(new ParleyClient({ baseUrl: '' }).auth.getMe()).rejects.toMatchObject({ status: 401 })
  expect(server.requests.map(({ url }) => url)).toEqual(['/api/auth/me', '/api/auth/refresh', '/api/auth/me'])
})

test('outside a browser a 401 is not refreshed', async () => {
  await using setup = await setUp()
  await expect(new ParleyClient({ baseUrl: setup.server.url, token: 'x' }).auth.getMe()).rejects.toMatchObject({
    status: 401,
  })
  expect(setup.server.requests).toHaveLength(1)
})

test.each([
  [
    'uploadFiles',
    (c: ParleyClient) => c.sessions.uploadFiles('s', '.', [{ file: new Blob(['x']), name: 'a.txt' }]),
    'POST /api/sessions/s/upload/',
  ],
  ['checkpoints', (c: ParleyClient) => c.sessions.checkpoints('s'), 'GET /api/sessions/s/checkpoints'],
  ['rewind', (c: ParleyClient) => c.sessions.rewind('s', 'cp_1'), 'POST /api/sessions/s/rewind'],
  ['checkout', (c: ParleyClient) => c.sessions.checkout('s', 'cp_1'), 'POST /api/sessions/s/checkout'],
  ['switchBranch', (c: ParleyClient) => c.sessions.switchBranch('s', 'cp_1'), 'POST /api/sessions/s/switch-branch'],
  ['listDir', (c: ParleyClient) => c.sessions.listDir('s', 'a b/c'), 'GET /api/sessions/s/ls/a%20b/c'],
  ['writeFile', (c: ParleyClient) => c.sessions.writeFile('s', 'a.txt', 'x'), 'PUT /api/sessions/s/files/a.txt'],
  [
    'renameFile',
    (c: ParleyClient) => c.sessions.renameFile('s', 'a.txt', 'b.txt'),
    'POST /api/sessions/s/files/a.txt/rename',
  ],
  ['deleteFile', (c: ParleyClient) => c.sessions.deleteFile('s', 'a.txt'), 'DELETE /api/sessions/s/files/a.txt'],
  ['updateSession', (c: ParleyClient) => c.sessions.updateSession('s', { intent: 'x' }), 'PATCH /api/sessions/s'],
  ['deleteSession', (c: ParleyClient) => c.sessions.deleteSession('s'), 'DELETE /api/sessions/s'],
  ['getSessionTurns', (c: ParleyClient) => c.sessions.getSessionTurns('s'), 'GET /api/sessions/s/messages'],
  ['getSessionHistory', (c: ParleyClient) => c.sessions.getSessionHistory('s'), 'GET /api/sessions/s/history'],
  ['getSessionTasks', (c: ParleyClient) => c.sessions.getSessionTasks('s'), 'GET /api/sessions/s/tasks'],
  [
    'uploadSessionSkill',
    (c: ParleyClient) => c.skills.uploadSessionSkill('s', { name: 'o/n', files: [] }),
    'POST /api/sessions/s/skills:upload',
  ],
  [
    'setFeedback',
    (c: ParleyClient) => c.sessions.setFeedback('s', 't/1', { value: 'like', comment: 'x' }),
    'PUT /api/sessions/s/messages/t%2F1/feedback',
  ],
  ['listSkills', (c: ParleyClient) => c.skills.listSkills(), 'GET /api/skills'],
  ['searchSkills', (c: ParleyClient) => c.skills.searchSkills('a&b', 3), 'GET /api/skills/search?q=a%26b&limit=3'],
  ['getSkill', (c: ParleyClient) => c.skills.getSkill('org/name'), 'GET /api/skills/org/name'],
  ['createApiKey', (c: ParleyClient) => c.apiKeys.createApiKey('ci'), 'POST /api/user/api-keys/'],
  ['listApiKeys', (c: ParleyClient) => c.apiKeys.listApiKeys(), 'GET /api/user/api-keys/'],
  ['renameApiKey', (c: ParleyClient) => c.apiKeys.renameApiKey('key_1', 'x'), 'PATCH /api/user/api-keys/key_1'],
  ['deleteApiKey', (c: ParleyClient) => c.apiKeys.deleteApiKey('key_1'), 'DELETE /api/user/api-keys/key_1'],
  ['getModelsConfig', (c: ParleyClient) => c.models.getModelsConfig(), 'GET /api/config/models'],
  ['knowledge.get', (c: ParleyClient) => c.knowledge.get('d/1'), 'GET /api/knowledge/d%2F1'],
  ['knowledge.add', (c: ParleyClient) => c.knowledge.add({ category: 'a', content: 'x' }), 'POST /api/knowledge'],
  [
    'knowledge.list',
    (c: ParleyClient) => c.knowledge.list({ collection: 'a b', limit: 2 }),
    'GET /api/knowledge?collection=a+b&limit=2',
  ],
  ['knowledge.update', (c: ParleyClient) => c.knowledge.update('d', { title: 'x' }), 'PATCH /api/knowledge/d'],
  ['knowledge.delete', (c: ParleyClient) => c.knowledge.delete('d'), 'DELETE /api/knowledge/d'],
  ['knowledge.categories', (c: ParleyClient) => c.knowledge.categories(), 'GET /api/knowledge/categories'],
  ['knowledge.search', (c: ParleyClient) => c.knowledge.search({ query: 'x' }), 'POST /api/knowledge/search'],
  ['knowledge.collections', (c: ParleyClient) => c.knowledge.collections(), 'GET /api/knowledge/collections'],
  [
    'knowledge.setCollection',
    (c: ParleyClient) => c.knowledge.setCollection('a b', { agents: ['support'] }),
    'PUT /api/knowledge/collections/a%20b',
  ],
  [
    'knowledge.deleteCollection',
    (c: ParleyClient) => c.knowledge.deleteCollection('a'),
    'DELETE /api/knowledge/collections/a',
  ],
  ['sessions.source', (c: ParleyClient) => c.sessions.source('s', 3), 'GET /api/sessions/s/sources/3'],
  ['api.get', (c: ParleyClient) => c.api.get('/api/x', { query: { a: 1 } }), 'GET /api/x?a=1'],
])('[W14.1] %s asks for the right route', async (_name, call, route) => {
  await using setup = await setUp()
  setup.server.routes[route.split('?')[0]!] = () => ({ status: 200, body: [] })
  await call(setup.client)
  expect(setup.server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([route])
})

test('[W12.3] an upload names its files and reports its progress in percent', async () => {
  await using setup = await setUp()
  setup.server.routes['POST /api/sessions/s/upload/in'] = () => ({
    status: 200,
    body: { uploaded: ['in/a.txt'], failed: [] },
  })
  const progress: number[] = []
  const files = [{ file: new Blob(['text']), name: 'a.txt' }]
  const result = await setup.client.sessions.uploadFiles('s', 'in', files, {
    onProgress: (percent) => progress.push(percent),
  })
  expect(result).toEqual({ uploaded: ['in/a.txt'], failed: [] })
  expect(setup.server.requests[0]?.body).toContain('["a.txt"]')
  expect(progress).toEqual([0, 100])
})

test.each(['createClient', 'uploadFile', 'workspaces', 'execute'])('[W14.1] client.%s does not exist', (name) => {
  expect(name in new ParleyClient({ baseUrl: 'http://127.0.0.1:1' })).toBe(false)
})

test('what the account reads of its feedback is asked for page by page', async () => {
  await using setup = await setUp()
  const page = { items: [], total: 0, next_cursor: null }
  setup.server.routes['GET /api/feedback'] = () => ({ status: 200, body: page })
  expect(await setup.client.sessions.listFeedback({ value: 'dislike', limit: 2 })).toEqual(page)
  expect(setup.server.requests[0]?.url).toBe('/api/feedback?value=dislike&limit=2')
})

test.each([
  ['bytes, by the ending of their source', new TextEncoder().encode('# 退货'), 'text/markdown'],
  ['a blob, by its own type', new Blob(['# 退货'], { type: 'text/plain' }), 'text/plain'],
])('knowledge.addFile sends %s', async (_name, file, type) => {
  await using setup = await setUp()
  setup.server.routes['PUT /api/knowledge/files'] = () => ({ status: 200, body: { status: 'added' } })
  const query = { source: 'a b/退货.md', category: '售后' }
  expect(await setup.client.knowledge.addFile(file, query)).toEqual({ status: 'added' })
  const url = `/api/knowledge/files?${new URLSearchParams(query).toString()}`
  expect(setup.server.requests[0]).toMatchObject({ url, type, body: '# 退货' })
})
