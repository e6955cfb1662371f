import { startFakeModel } from '@parley/testkit'
import { describe, expect, test, vi } from 'vitest'
import { smallServer } from '../tools/mcp/rig.ts'
import { agentCall, askCall, STORES, World } from '../wire/world.ts'
import { begin, Folders, newestInstructions } from './folders.ts'

/** A file with a tool that says a word. */
const says = (name: string, word: string, more = '') => `import { defineTool } from '@parley/tools'
export default defineTool({ name: '${name}', description: 'Says a word.', input: { type: 'object' }, ${more} run: async () => '${word}' })
`

/** Those of the world, which the environment names. */
const NO_MODEL = { modelUrl: undefined, model: undefined } as object

const call = (name: string, input: object = {}) => ({ calls: [{ name, arguments: input }] })

describe.each(STORES)('on %s', (store) => {
  test('[W12.13.7] a run obeys the version that its session began with: during an edit, after it, and after a restart', async () => {
    const [one, two] = [says('word', 'one'), says('word', 'two')]
    await using folders = await Folders.make({ 'support/instructions.md': 'Be one.', 'support/tools/word.ts': one })
    await using world = await World.open(store, { agentsDir: folders.path })
    const id = await beginLoaded(world, 'support')
    world.learn({
      'hold on': [
        call('Work', { name: 'edit' }),
        call('word'),
        call('Agent', agentCall('below').arguments),
        { text: 'ok' },
      ],
      below: [call('word'), { text: 'below' }],
      'and now': [call('word'), { text: 'ok' }],
      'ask first': [{ calls: [askCall()] }, call('word'), { text: 'ok' }],
    })
    await using chat = await world.chat({ session_id: id })
    const running = chat.run('hold on')
    await world.gates.reached('edit')
    await folders.write({ 'support/instructions.md': 'Be two.', 'support/tools/word.ts': two })
    await expect.poll(() => newestInstructions(world, 'support')).toBe('Be two.')
    world.gates.open('edit')
    expect((await running).end).toMatchObject({ status: 'completed' })
    await chat.run('ask first')

    await world.stop()
    await world.start()
    await using later = await world.chat({ session_id: id })
    await later.answer()
    await later.run('and now')
    const of = (question: string) => world.requests(question).map(({ system, results }) => [system, ...results])
    expect(of('hold on').at(-1)).toEqual(['Be one.', 'edit done', 'one', 'below'])
    expect(of('below').at(-1)).toEqual(['Be one.', 'one'])
    expect(world.provider.requests.map(({ system }) => system)).not.toContain('Be two.')
    expect(of('and now').at(-1)).toEqual(['Be one.', 'one'])
    expect(of('ask first').at(-1)).toEqual(['Be one.', expect.stringContaining('staging'), 'one'])

    const newer = (await begin(world, 'support')).body.id
    await using fresh = await world.chat({ session_id: newer })
    world.learn({ 'who are you': [call('word'), { text: 'ok' }] })
    await fresh.run('who are you')
    expect(of('who are you').at(-1)).toEqual(['Be two.', 'two'])
    expect(world.errors).toEqual([])
  })
})

test('[W12.13.8] instructions, model and max_turns of an agent stand in for those of the server', async () => {
  await using folders = await Folders.make({
    'support/instructions.md': 'Be kind.',
    'support/agent.yaml': 'model: other\nmax_turns: 2',
    'plain/agent.yaml': 'description: leaves everything open',
  })
  const model = (id: string) => ({ id, provider: 'openai-compatible' as const, url: provider.url })
  await using provider = await startFakeModel(({ question, results }) =>
    question === 'again' ? call('Bash', { command: String(results.length) }) : { text: 'ok' },
  )
  const models = [model('fake-model'), model('other')]
  await using world = await openWorld(folders, { systemPrompt: 'The server speaks.', models, ...NO_MODEL })
  await using chat = await talk(world, 'support')
  await chat.run('kind')
  await using other = await talk(world, 'plain')
  await other.run('plain')
  const asked = (about: string) =>
    provider.requests.filter(({ question }) => question === about).map(({ system, model }) => ({ system, model }))
  expect(asked('kind')).toEqual([{ system: 'Be kind.', model: 'other' }])
  expect(asked('plain')).toEqual([{ system: 'The server speaks.', model: 'fake-model' }])
  expect((await chat.run('again')).end).toMatchObject({ finish_reason: 'max_turns' })
  expect(asked('again')).toHaveLength(2)
  // A person's choice goes before the agent's.
  await chat.run('named', { model: 'fake-model' })
  expect(asked('named')[0]!.model).toBe('fake-model')
  const { body } = await world.rest('GET', `/api/sessions/${chat.session_id}/history`)
  expect(body).toMatchObject({ system_prompt_tokens: 3 }) // Be, kind, full stop
})

test('[W12.13.8] a model that this server lacks is a problem of the folder, and of a session that has it all the same', async () => {
  await using folders = await Folders.make({ 'support/agent.yaml': 'max_turns: 2\nmodel: other' })
  await using home = await Folders.make()
  const having = (...ids: string[]) => ({
    dataDir: `${home.path}/data`,
    models: ids.map((id) => ({ id, provider: 'demo' as const })),
    ...NO_MODEL,
  })
  await using before = await openWorld(folders, having('demo', 'other'))
  const session_id = await beginLoaded(before, 'support')
  await before.stop()
  await using world = await openWorld(folders, having('demo'))
  await using chat = await world.chat({ session_id })
  expect(await chat.send('hello')).toMatchObject({
    status: 'error',
    code: 'model_not_available',
    message:
      'The agent support wants the model other, which this server does not have. Name another one, or change its agent.yaml.',
  })
  expect((await chat.run('hello', { model: 'demo' })).end).toMatchObject({ status: 'completed' })
  await folders.write({ 'support/agent.yaml': 'max_turns: 3\nmodel: other' })
  await expect
    .poll(async () => JSON.stringify((await world.rest('GET', '/api/agents')).body))
    .toContain('support/agent.yaml:2: model: this server has no model other')
})

test.each([
  ['Read, R*', ['Read', 'Remember', 'RenderChart', 'RenderHtml', 'own']],
  ['', ['own']],
])('[W12.13.9] of the tools of the server an agent has those that it lists: [%s]', async (listed, names) => {
  await using folders = await Folders.make({
    'few/agent.yaml': `tools: [${listed}]`,
    'few/tools/own.ts': says('own', 'mine'),
  })
  await using world = await openWorld(folders)
  await using chat = await talk(world, 'few')
  world.learn({
    'use Bash': [
      {
        calls: ['Bash', 'Agent', 'own'].map((name) => ({
          name,
          arguments: { command: 'ls', description: 'd', prompt: 'p' },
        })),
      },
      { text: 'ok' },
    ],
  })
  await chat.run('use Bash')
  const [first, second] = world.requests('use Bash')
  expect([...first!.tools].sort()).toEqual(names)
  expect(second!.results).toEqual([
    expect.stringContaining('no tool named Bash'),
    expect.stringContaining('no tool named Agent'),
    'mine',
  ])
})

test("[W12.13.10] an agent's rules go before those of the server, whose denials stay", async () => {
  await using folders = await Folders.make({
    'strict/instructions.md': 'x',
    'strict/policy.yaml': `headless: deny
confirmation_minutes: 1
rules:
  - { tool: Bash, arguments: { command: 'git *' }, decision: allow }
  - { tool: Bash, arguments: { command: 'rm *' }, decision: allow }
  - { tool: Bash, decision: ask }
  - { tool: own, decision: allow }
`,
    'strict/tools/own.ts': says('own', 'mine', "risk: 'high',"),
  })
  await using world = await openWorld(folders, {
    policy: {
      rules: [
        { tool: 'Bash', arguments: { command: 'rm *' }, decision: 'deny' },
        { tool: 'Bash', decision: 'allow' },
      ],
      headless: 'fail',
      confirmationMinutes: 15,
    },
  })
  const calls = [
    ...['git status', 'rm x', 'ls'].map((command) => ({ name: 'Bash', arguments: { command } })),
    { name: 'own', arguments: {} },
  ]
  world.learn({
    headless: [{ calls }, { text: 'ok' }],
    asking: [{ calls }, { text: 'ok' }],
    plan: [{ calls }, { text: 'ok' }],
  })
  await using chat = await talk(world, 'strict')
  expect((await chat.run('headless', { headless: true })).end).toMatchObject({ status: 'completed' })
  expect(world.requests('headless').at(-1)!.results).toEqual([
    expect.stringContaining('ran git status'),
    expect.stringContaining('not allowed'),
    expect.stringContaining("needs a person's consent"),
    'mine',
  ])

  await chat.run('asking')
  const [waiting] = (
    await world.rest<{ items: { expires_at: string; created_at: string }[] }>(
      'GET',
      '/api/confirmations?status=pending',
    )
  ).body.items
  const minutes = (Date.parse(waiting!.expires_at) - Date.now()) / 60_000
  expect([minutes > 0, minutes <= 1.1]).toEqual([true, true])
  await chat.answer()
  expect(world.requests('asking').at(-1)!.results).toEqual([
    expect.stringContaining('ran git status'),
    expect.stringContaining('not allowed'),
    expect.stringContaining('ran ls'),
    'mine',
  ])

  await chat.run('plan', { mode: 'planning' })
  const planned = world.requests('plan')[0]!
  expect(planned.system).toMatch(/^x\n\nYou are in planning mode/)
  expect(planned.tools).not.toContain('own')
  expect(planned.tools).not.toContain('Bash')
})

test('[W12.13.12] [W12.13.13] skills and MCP servers of the folder are its own, beside those of the server', async () => {
  await using small = await smallServer()
  const skill = (name: string, text: string) => `---\nname: ${name}\ndescription: ${text}\n---\n${text}`
  await using folders = await Folders.make({
    'able/agent.yaml': 'tools: [skill__kept]',
    'able/skills/notes/SKILL.md': skill('notes', 'How the agent takes notes.'),
    'able/skills/notes/template.txt': 'a template',
    'able/mcp.json': JSON.stringify({ mcpServers: { small: small.config } }),
    'skills/kept/SKILL.md': skill('kept', 'Kept.'),
    'skills/notes/SKILL.md': skill('notes', 'How the server takes notes.'),
  })
  await using world = await openWorld(folders, { skillDirs: [`${folders.path}/skills`] })
  world.learn({
    able: [call('skill__notes'), call('mcp__small__greet', { who: 'you' }), { text: 'ok' }],
    unable: [call('skill__notes'), call('mcp__small__greet', { who: 'you' }), { text: 'ok' }],
  })
  await using chat = await talk(world, 'able')
  await chat.run('able')
  const [first, , last] = world.requests('able')
  expect(first!.tools).toEqual(expect.arrayContaining(['skill__kept', 'skill__notes', 'mcp__small__greet']))
  expect(last!.results).toEqual([
    expect.stringMatching(/How the agent takes notes\.[\s\S]*template\.txt/),
    'Hello, you',
  ])
  expect((await world.rest<object[]>('GET', `/api/sessions/${chat.session_id}/skills`)).body).toEqual([
    expect.objectContaining({ id: 'kept', source: 'global' }),
    expect.objectContaining({ id: 'notes', source: 'solution' }),
  ])

  await using other = await world.chat()
  await other.run('unable')
  expect(world.requests('unable').at(-1)!.results).toEqual([
    expect.stringContaining('How the server takes notes.'),
    expect.stringContaining('no tool named mcp__small__greet'),
  ])
})

test('[W12.13.11] an own tool takes the place of one of the server in its own agent alone', async () => {
  await using folders = await Folders.make({
    'mine/instructions.md': 'x',
    'mine/tools/bash.ts': says('Bash', 'my Bash'),
  })
  await using world = await openWorld(folders)
  world.learn({ mine: [call('Bash'), { text: 'ok' }], theirs: [call('Bash', { command: 'ls' }), { text: 'ok' }] })
  await using chat = await talk(world, 'mine')
  await chat.run('mine')
  await using other = await world.chat()
  await other.run('theirs')
  const resultOf = (question: string) => world.requests(question).at(-1)!.results
  expect([...resultOf('mine'), ...resultOf('theirs')]).toEqual(['my Bash', expect.stringContaining('ran ls')])
  expect(world.requests('mine')[0]!.tools.filter((name) => name === 'Bash')).toHaveLength(1)
})

test('[W12.13.11] tools that cannot be loaded, and servers that never start, harm their agent alone, and are named', async () => {
  const healthy = { 'good/instructions.md': 'Be good.', 'good/tools/word.ts': says('word', 'good') }
  await using folders = await Folders.make({
    ...healthy,
    'exits/instructions.md': 'x',
    'exits/tools/exit.ts': 'process.exit(3)',
    'throws/instructions.md': 'x',
    'throws/tools/throw.ts': 'export const a = 1\nthrow new Error("not today")',
    'reserved/instructions.md': 'x',
    'reserved/tools/a.ts': says('mcp__a__b', 'x'),
    'mute/instructions.md': 'x',
    'mute/mcp.json': JSON.stringify({ mute: { command: 'sleep', args: ['300'] } }),
  })
  await using world = await openWorld(folders)
  const states = async () => {
    type Listed = { name: string; version: string | null; problem?: string }
    const { items } = (await world.rest<{ items: Listed[] }>('GET', '/api/agents')).body
    return Object.fromEntries(items.map(({ name, version, problem }) => [name, problem ?? (version && 'loaded')]))
  }
  await expect.poll(states).toEqual({
    default: null,
    good: 'loaded',
    mute: 'loaded',
    exits: expect.stringMatching(/exits\/tools\/exit\.ts: .*ended its process \(exit code 3\)/),
    throws: expect.stringMatching(/throws\/tools\/throw\.ts:2:\d+: .*not today/),
    reserved: expect.stringMatching(/reserved\/tools\/a\.ts: the server needs the name mcp__a__b for itself/),
  })
  expect((await begin(world, 'exits')).body).toMatchObject({ code: 'agent_not_available' })

  world.learn({ mute: [{ text: 'late' }], good: [call('word'), { text: 'ok' }] })
  await using mute = await talk(world, 'mute')
  const waiting = mute.run('mute').then(() => 'mute')
  await using good = await talk(world, 'good')
  const first = await Promise.race([waiting, good.run('good').then(() => 'good')])
  expect([first, world.requests('good').at(-1)!.results]).toEqual(['good', ['good']])
  expect(await waiting).toBe('mute')
  expect(world.errors).toEqual([])
})

test('[W12.13.11] a tool file that hangs while it is imported holds nobody else up, and a stop ends it', async () => {
  await using folders = await Folders.make({
    'hangs/instructions.md': 'x',
    'hangs/tools/hang.ts': 'setInterval(() => undefined, 1_000)\nawait new Promise(() => undefined)',
    'later/instructions.md': 'Be one.',
  })
  await using world = await openWorld(folders)
  await expect.poll(async () => (await begin(world, 'later')).status, { timeout: 20_000 }).toBe(200)
  await folders.write({ 'later/instructions.md': 'Be two.' })
  await expect.poll(() => newestInstructions(world, 'later'), { timeout: 20_000 }).toBe('Be two.')
  // Nobody has found out yet: whoever waits for the file still waits.
  expect((await begin(world, 'hangs')).body).toMatchObject({ code: 'agent_not_available' })
  expect(await world.rest('GET', '/api/agents')).toMatchObject({
    body: { items: [{ name: 'default' }, { name: 'later' }] },
  })
  await world.stop()
  expect(world.errors).toEqual([])
})

async function openWorld(folders: Folders, options: Parameters<typeof World.open>[1] = {}) {
  return World.open('sqlite', { agentsDir: folders.path, ...options })
}

async function talk(world: World, agent: string) {
  return world.chat({ session_id: await beginLoaded(world, agent) })
}

/** A busy machine takes its time to look at the tools of a folder. */
async function beginLoaded(world: World, agent: string): Promise<string> {
  const begun = await vi.waitUntil(
    async () => {
      const { status, body } = await begin(world, agent)
      return status === 200 && body.id
    },
    { timeout: 30_000 },
  )
  return begun as string
}
