import type { Agent, Checkpoint } from '@parley/protocol/rest'
import type { TurnProjection } from '@parley/protocol'
import { Folders } from '../agents/folders.ts'
import { mint } from '../auth/visitors.ts'
import { OWNER_KEY, type Store, World } from './world.ts'

/** What to send so that it works. */
export type Sample = {
  /** Of the path, beside `session_id`. */
  at?: Record<string, string | number>
  query?: Record<string, string>
  body?: object
  form?: FormData | Blob
  headers?: Record<string, string>
  /** What must be under way first. */
  before?: () => Promise<unknown>
  /** Why it cannot be asked here; the test that does. */
  elsewhere?: string
}

/** `session_id`: what paths are about that name a session. */
type Samples = { session_id: string; samples: Record<string, Sample> }
export type Sampled = Samples & { world: World } & AsyncDisposable

const ONE = '/api/sessions/{session_id}'
const DOCUMENT = 'The kiosk sells pickled samphire on Mondays.'
const QUESTION = 'Who sells pickled samphire?'
const SKILL = '---\nname: tidy\ndescription: Tidies up\n---\nTidy up.'

/** A server with one of everything, and a request for each of its routes, in an order in which all of them work. */
export async function openSampled(store: Store): Promise<Sampled> {
  await using parts = new AsyncDisposableStack()
  const agents = parts.use(await Folders.make({ 'support/instructions.md': 'Be kind.' }))
  const solutions = parts.use(
    await Folders.make({ 'shop/solution.yaml': 'name: Shop\n', 'shop/notes.txt': 'Open on Mondays.' }),
  )
  const skills = parts.use(await Folders.make({ 'tidy/SKILL.md': SKILL }))
  const policy = { rules: [{ tool: 'Bash', decision: 'ask' as const }], headless: 'deny' as const }
  const world = parts.use(
    await World.open(store, {
      agentsDir: agents.path,
      solutionsDir: solutions.path,
      skillDirs: [skills.path],
      policy: { ...policy, confirmationMinutes: 15 },
    }),
  )
  world.learn({
    'may I': [{ calls: [{ name: 'Bash', arguments: { command: 'ls' } }] }, { text: 'Done' }],
    'wait a while': [{ calls: [{ name: 'Look', arguments: { name: 'held' } }] }, { text: 'Done' }],
    [QUESTION]: [{ text: 'The kiosk [1].' }],
  })
  world.otherwise(() => ({ text: 'Fine.' }))
  const samples = await samplesIn(world)
  const held = parts.move()
  return { world, ...samples, [Symbol.asyncDispose]: () => held.disposeAsync() }
}

async function samplesIn(world: World): Promise<Samples> {
  const make = async <T>(path: string, body: object, method = 'POST'): Promise<T> => {
    const { status, body: made } = await world.rest<T>(method, path, { body })
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(made)}`)
    return made
  }
  const read = async <T>(path: string): Promise<T> => (await world.rest<T>('GET', path)).body

  const document = await make<{ id: string }>('/api/knowledge', { category: 'town', content: DOCUMENT })
  const session_id = await world.newSession({ intent: 'a walk' })
  const at = `/api/sessions/${session_id}`
  await make(`${at}/chat`, { message: QUESTION })
  await make(`${at}/files/a.txt`, { content: 'one' }, 'PUT')
  const turns = await read<TurnProjection[]>(`${at}/messages`)
  const { turn_id } = turns.find(({ role }) => role === 'assistant')!
  const [checkpoint] = await read<Checkpoint[]>(`${at}/checkpoints`)
  const { checkpoint_id } = checkpoint!
  const calls = await read<{ items: { event_seq: number }[] }>(`${at}/model-calls`)
  const waiting = await waitingIn(world)
  const { key } = await make<{ key: { id: string } }>('/api/user/api-keys', { name: 'one' })
  const anna = await mint(world, 'anna')
  const memory = await make<{ id: number }>('/api/memories', { content: 'likes tea' })
  const tool = {
    ...{ description: 'Counts.', schema: { type: 'object' }, url: 'https://tools.example.com/count' },
    secret: 'sixteen characters at least',
  }
  await make('/api/http-tools', { name: 'count_things', ...tool })
  const config = { name: 'one', provider: 'openai', base_url: 'https://models.example.com/v1', api_key: 'sk-1' }
  const models = [{ model_id: 'big' }]
  const { id: config_id } = await make<{ id: number }>('/api/models/configs', { ...config, models })
  const share = await make<{ token: string; id: string }>(`${at}/share`, {})
  const link = await make<{ url: string }>('/api/auth/sign-in-links', {})
  const agent = await read<Agent>('/api/agents/support')
  await make('/api/knowledge/collections/empty', {}, 'PUT')
  await make('/api/knowledge/collections/empty_too', {}, 'PUT')
  const spare = await make<{ id: string }>('/api/knowledge', { category: 'town', content: 'More.' })
  const archive = await archiveOf(world, session_id)
  const task = { title: 'Greet', prompt: 'hello', cron: '0 9 1 1 *' }
  const { id: task_id } = await make<{ id: string }>('/api/scheduled-tasks', task)
  const { user } = await make<{ user: { id: string } }>('/api/users', { username: 'mia' })
  await make('/api/user/env-buckets/work', { env: { COLOUR: 'red' } }, 'PUT')
  const cookie = await loginIn(world)
  const doomed = await world.newSession()
  const busy = await world.newSession()

  const form = () => {
    const made = new FormData()
    made.append('file', archive, 'session.zip')
    return made
  }
  const files = new FormData()
  files.append('files', new Blob(['two']), 'b.txt')
  const own = { cookie, origin: world.url }
  const whatFor = (path: string): Record<string, Sample> => ({
    [`POST ${path}`]: { body: { category: 'town', content: `Added at ${path}.` } },
    [`GET ${path}`]: {},
    [`GET ${path}/categories`]: {},
    [`POST ${path}/search`]: { body: { query: 'samphire' } },
    [`GET ${path}/{id}`]: { at: { id: document.id } },
    [`PATCH ${path}/{id}`]: { at: { id: document.id }, body: { title: 'Kiosk' } },
    [`GET ${path}/collections`]: {},
    [`PUT ${path}/collections/{name}`]: { at: { name: 'empty' }, body: { agents: null } },
    [`PUT ${path}/files`]: { query: { source: `${path.slice(1)}.txt` }, form: new Blob(['A text.']) },
  })
  const askTheAgent = { body: { message: 'hello' } }
  const samples: Record<string, Sample> = {
    'GET /api/openapi.json': {},
    'GET /api/health': {},
    'GET /healthz': {},
    'GET /api/version': {},
    'GET /api/config': {},
    'GET /api/config/models': {},
    'POST /api/config/models/test': { body: { model: 'fake-model' } },
    'GET /api/instances': {},
    'POST /api/policy/try': { body: { tool: 'Bash', arguments: { command: 'ls' } } },
    'GET /api/mcp-servers': {},
    'POST /api/mcp-servers/{name}/test': { at: { name: 'x' }, body: {}, elsewhere: 'wire/mcp-health.test.ts' },
    'POST /api/mcp-servers/{name}/restart': { at: { name: 'x' }, body: {}, elsewhere: 'wire/mcp-health.test.ts' },
    'GET /api/tools': {},
    'GET /api/tools/{name}': { at: { name: 'Bash' } },
    'POST /api/tools/{name}/approve': { at: { name: 'x' }, body: { digest: 'x' }, elsewhere: 'tools/mcp' },
    'POST /api/tool-calls/{call_id}/result': { at: { call_id: 'x' }, elsewhere: 'tools/http/later.test.ts' },
    'GET /api/http-tools': {},
    'POST /api/http-tools': { body: { name: 'count_more', ...tool } },
    'GET /api/http-tools/{name}': { at: { name: 'count_things' } },
    'PUT /api/http-tools/{name}': { at: { name: 'count_things' }, body: tool },
    'DELETE /api/http-tools/{name}': { at: { name: 'count_things' } },
    'GET /api/agents': {},
    'GET /api/agents/{name}': { at: { name: 'support' } },
    'POST /api/agents/{name}/versions/{use}': { at: { name: 'support', use: `${agent.version}:use` }, body: {} },
    'GET /api/models/configs': {},
    'POST /api/models/configs': { body: { ...config, models, name: 'two' } },
    'POST /api/models/configs/test-connection': { body: { base_url: world.provider.url, api_key: 'sk-1' } },
    'GET /api/models/configs/{id}': { at: { id: config_id } },
    'PUT /api/models/configs/{id}': { at: { id: config_id }, body: { name: 'three' } },
    'PATCH /api/models/configs/{id}/status': { at: { id: config_id }, query: { is_active: 'false' } },
    'DELETE /api/models/configs/{id}': { at: { id: config_id } },
    'GET /api/skills': {},
    'GET /api/skills/installed': {},
    'GET /api/skills/search': { query: { q: 'tidy' } },
    'GET /api/skills/{path}': { at: { path: 'tidy' } },
    [`GET ${ONE}/skills`]: {},
    [`GET ${ONE}/skill-stats`]: {},
    [`POST ${ONE}/skills:upload`]: { body: { name: 'acme/map', files: [{ path: 'SKILL.md', content: SKILL }] } },
    [`POST ${ONE}/skills:resync`]: {},
    [`POST ${ONE}/skills/install`]: { body: { skill_id: 'tidy' } },
    [`GET ${ONE}/sources/{ref}`]: { at: { ref: 1 } },
    ...whatFor('/api/knowledge'),
    ...whatFor('/api/agent/knowledge'),
    'DELETE /api/knowledge/{id}': { at: { id: spare.id } },
    'DELETE /api/agent/knowledge/{id}': { at: { id: document.id } },
    'DELETE /api/knowledge/collections/{name}': { at: { name: 'empty' } },
    'DELETE /api/agent/knowledge/collections/{name}': { at: { name: 'empty_too' } },
    'GET /api/user/api-keys': {},
    'POST /api/user/api-keys': { body: { name: 'two' } },
    'GET /api/user/api-keys/{key_id}': { at: { key_id: key.id } },
    'PATCH /api/user/api-keys/{key_id}': { at: { key_id: key.id }, body: { name: 'other' } },
    'DELETE /api/user/api-keys/{key_id}': { at: { key_id: key.id } },
    'POST /api/auth/tokens': { body: { subject: 'ben' } },
    'GET /api/auth/tokens': {},
    'DELETE /api/auth/tokens/{id}': { at: { id: anna.id } },
    'DELETE /api/auth/tokens': { query: { subject: 'ben' } },
    'GET /api/auth/me': {},
    'POST /api/auth/sign-in-links': {},
    'GET /api/auth/login': { query: { code: new URL(link.url).searchParams.get('code')! } },
    'POST /api/auth/refresh': { headers: own },
    'POST /api/auth/logout': { headers: own },
    'GET /api/memories': {},
    'POST /api/memories': { body: { content: 'likes coffee' } },
    'GET /api/memories/{id}': { at: { id: memory.id } },
    'PUT /api/memories/{id}': { at: { id: memory.id }, body: { content: 'likes green tea' } },
    'PATCH /api/memories/{id}': { at: { id: memory.id }, body: { disabled: true } },
    'DELETE /api/memories/{id}': { at: { id: memory.id } },
    'POST /api/memories/batch': { body: { action: 'delete', ids: [1, 2, 3] } },
    'GET /api/confirmations': {},
    'GET /api/inbox': {},
    'GET /api/inbox/{id}': { at: { id: waiting.confirmation } },
    'GET /api/policy': {},
    'POST /api/policy/preview': { body: { rule: { tool: 'Bash', decision: 'allow' } } },
    'POST /api/confirmations/{id}': { at: { id: waiting.confirmation }, body: { decision: 'reject' } },
    'GET /api/agent/sessions/{sessionId}/messages': { at: { sessionId: session_id } },
    'GET /api/agent/tools': {},
    'POST /api/agent/chat': askTheAgent,
    'POST /api/agent/chat/stream': askTheAgent,
    'GET /api/agent/chat/stream': { query: { message: 'hello', sessionId: 'walk', messageId: 'm1' } },
    'POST /api/agent/chat/cancel': {
      body: { sessionId: busy },
      async before() {
        const headers = { prefer: 'respond-async' }
        await world.rest('POST', '/api/agent/chat', { body: { message: 'wait a while', sessionId: busy }, headers })
        await world.gates.reached('held')
      },
    },
    'GET /api/demo/crash': {},
    'POST /api/demo/crash': { body: {}, elsewhere: 'crash/: it would end this process' },
    'POST /chat/stream': { body: { user_input: 'hello' } },
    'POST /chat/get_analyse_by_code_result': { body: { analyse_id: 1 }, elsewhere: 'onedragon/charts.test.ts' },
    'GET /api/feedback': {},
    'GET /api/usage': { query: { by: 'model', bucket: 'hour' } },
    'GET /api/audit': { query: { limit: '5' } },
    'GET /api/solutions': {},
    'GET /api/solutions/{solution_id}/biz-roles': { at: { solution_id: 'shop' } },
    'GET /api/solutions/{solution_id}/files/{path}': { at: { solution_id: 'shop', path: 'notes.txt' } },
    'GET /api/scheduled-tasks': {},
    'POST /api/scheduled-tasks': { body: task },
    'GET /api/scheduled-tasks/preview': { query: { cron: '0 9 * * *', timezone: 'Europe/Paris', n: '3' } },
    'GET /api/scheduled-tasks/calendar': { query: { from: '2026-01-01', to: '2026-01-31' } },
    'GET /api/scheduled-tasks/{task_id}': { at: { task_id } },
    'PATCH /api/scheduled-tasks/{task_id}': { at: { task_id }, body: { title: 'Greet all' } },
    'POST /api/scheduled-tasks/{task_id}/stop': { at: { task_id } },
    'POST /api/scheduled-tasks/{task_id}/start': { at: { task_id } },
    'POST /api/scheduled-tasks/{task_id}/run': { at: { task_id }, body: {} },
    'GET /api/scheduled-tasks/{task_id}/runs': { at: { task_id } },
    'DELETE /api/scheduled-tasks/{task_id}': { at: { task_id } },
    'GET /api/users': {},
    'POST /api/users': { body: { username: 'max' } },
    'POST /api/users/{user_id}/links': { at: { user_id: user.id } },
    'PATCH /api/users/{user_id}': { at: { user_id: user.id }, body: { display_name: 'Mia' } },
    'DELETE /api/users/{user_id}': { at: { user_id: user.id } },
    'GET /api/env': {},
    'GET /api/embed/origin': { query: { origin: 'https://shop.example' } },
    'GET /api/user/env-buckets': {},
    'GET /api/user/env-buckets/{bucket}': { at: { bucket: 'work' } },
    'PUT /api/user/env-buckets/{bucket}': { at: { bucket: 'work' }, body: { env: { COLOUR: 'blue' } } },
    'DELETE /api/user/env-buckets/{bucket}': { at: { bucket: 'work' } },
    'GET /api/user/preferences/seen': {},
    'PUT /api/user/preferences/seen': { body: { seen: { [session_id]: 1 } } },
    'GET /api/user/preferences/{key}': { at: { key: 'theme' } },
    'PUT /api/user/preferences/{key}': { at: { key: 'theme' }, body: { value: 'dark' } },
    [`POST ${ONE}/upset_extra_info`]: { body: { extra: { place: 'town' } } },
    [`GET ${ONE}/extra_info`]: {},
    'POST /api/sessions/tokenize/prompt': { body: { prompt: 'hello' } },
    'POST /api/sessions/tokenize/messages': { body: { messages: [{ role: 'user', content: 'hello' }] } },
    'POST /api/sessions/preview-import': { form: form() },
    'POST /api/sessions/import': { form: form() },
    'POST /api/sessions': { body: { intent: 'a talk' } },
    'GET /api/sessions': {},
    [`GET ${ONE}`]: {},
    [`PATCH ${ONE}`]: { body: { intent: 'a long walk' } },
    [`PATCH ${ONE}/pin`]: { body: { pinned: true } },
    [`PATCH ${ONE}/memory`]: { body: { memory_enabled: true } },
    [`PATCH ${ONE}/sharing`]: { body: { shared: true } },
    [`PUT ${ONE}/env`]: { body: { env: { COLOUR: 'red' } } },
    [`GET ${ONE}/export`]: {},
    [`POST ${ONE}/share`]: { body: { ttl_seconds: 60 } },
    [`GET ${ONE}/shares`]: {},
    'GET /api/share/{token}': { at: { token: share.token } },
    [`DELETE ${ONE}/share/{token}`]: { at: { token: share.id } },
    [`GET ${ONE}/messages`]: {},
    [`GET ${ONE}/history`]: {},
    [`GET ${ONE}/context-stats`]: {},
    [`GET ${ONE}/model-calls`]: {},
    [`GET ${ONE}/runs`]: {},
    [`GET ${ONE}/events`]: { query: { hidden: 'full' } },
    [`GET ${ONE}/model-calls/{event_seq}`]: { at: { event_seq: calls.items[0]!.event_seq } },
    [`GET ${ONE}/feedback`]: {},
    [`PUT ${ONE}/messages/{turn_id}/feedback`]: { at: { turn_id }, body: { value: 'like' } },
    [`GET ${ONE}/suggestions`]: {},
    [`GET ${ONE}/tasks`]: {},
    [`GET ${ONE}/background-tasks`]: {},
    [`GET ${ONE}/background-tasks/{task_id}`]: { at: { task_id: 'bg_1' }, elsewhere: 'tools/bash/background.test.ts' },
    [`POST ${ONE}/background-tasks/{task_id}/stop`]: {
      ...{ at: { task_id: 'bg_1' }, elsewhere: 'tools/bash/background.test.ts' },
    },
    [`GET ${ONE}/ls`]: {},
    [`GET ${ONE}/ls/{path}`]: { at: { path: '.' } },
    [`GET ${ONE}/download-dir`]: {},
    [`GET ${ONE}/download-dir/{path}`]: { at: { path: '.' } },
    [`GET ${ONE}/files/{path}`]: { at: { path: 'a.txt' } },
    [`PUT ${ONE}/files/{path}`]: { at: { path: 'a.txt' }, body: { content: 'three' } },
    [`POST ${ONE}/files/{path}`]: { at: { path: 'a.txt/rename' }, body: { new_name: 'c.txt' } },
    [`POST ${ONE}/share-file`]: { body: { source_path: 'c.txt' } },
    [`POST ${ONE}/upload`]: { form: files },
    [`POST ${ONE}/upload/{path}`]: { at: { path: 'below' }, form: files },
    [`DELETE ${ONE}/files/{path}`]: { at: { path: 'b.txt' } },
    [`GET ${ONE}/checkpoints`]: {},
    [`POST ${ONE}/checkout`]: { body: { checkpoint_id } },
    [`POST ${ONE}/rewind`]: { body: { checkpoint_id, restore: 'conversation' } },
    [`POST ${ONE}/switch-branch`]: { body: { checkpoint_id, restore: 'conversation' } },
    [`POST ${ONE}/chat`]: { body: { message: 'and then?' } },
    [`POST ${ONE}/headless`]: { body: { message: 'and then?' } },
    [`POST ${ONE}/compact`]: {},
    'GET /api/agent/sessions/{sessionId}/confirmation': { at: { sessionId: waiting.another } },
    [`DELETE ${ONE}`]: { at: { session_id: doomed } },
  }
  return { session_id, samples }
}

/** A confirmation that waits, and a session in which another one does. */
async function waitingIn(world: World): Promise<{ confirmation: string; another: string }> {
  for (const session_id of [await world.newSession(), await world.newSession()]) {
    await using chat = await world.chat({ session_id })
    await chat.client.ask('chat:send', { session_id, message: 'may I' })
    await chat.client.until('chat:end')
  }
  const { body } = await world.rest<{ items: { id: string; session_id: string }[] }>('GET', '/api/confirmations')
  const [one, other] = body.items
  return { confirmation: one!.id, another: other!.session_id }
}

async function archiveOf(world: World, session_id: string): Promise<Blob> {
  const headers = { authorization: `Bearer ${OWNER_KEY}` }
  return (await fetch(`${world.url}/api/sessions/${session_id}/export`, { headers })).blob()
}

async function loginIn(world: World): Promise<string> {
  const { headers } = await world.rest('GET', world.signInUrl.slice(world.url.length), { token: null })
  return headers.get('set-cookie')!.split(';')[0]!
}
