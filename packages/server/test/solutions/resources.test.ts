import { describe, expect, test } from 'vitest'
import { Folders } from '../agents/folders.ts'
import { smallServer } from '../tools/mcp/rig.ts'
import { type Answer, sharedWorld, World } from '../wire/world.ts'
import { startService } from './service.ts'
import { SHOP } from './shop.ts'

const call = (name: string, input: object = {}) => ({ calls: [{ name, arguments: input }] })
const SKILL = '---\nname: crm\ndescription: Customers.\n---\nAsk for customers.\n'
const KEY = 'k-3141592653589793'

async function begin(world: World, body: object): Promise<string> {
  return (await world.rest<{ id: string }>('POST', '/api/sessions', { body })).body.id
}

describe('a document of a service in the skill of a solution', () => {
  test('[W12.7.7] its operations are tools of the roles that have the skill, with credentials of the session', async () => {
    await using service = await startService()
    await using folders = await Folders.make({
      ...SHOP,
      'shop/skills/stock/resources/crm.openapi.yaml': service.document,
    })
    await using world = await World.open('sqlite', { solutionsDir: folders.path })
    expect(world.warnings.join()).toMatch(
      /shop\/skills\/stock\/resources\/crm\.openapi\.yaml:\d+: POST \/pictures: only bodies that are JSON can be sent/,
    )
    const id = await begin(world, { solution_id: 'shop', biz_role_id: 'buyer', env: { CRM_KEY: KEY } })
    world.learn({
      'who is 7': [
        call('getCustomer', { id: 'a/b 7', fields: ['name', 'age'], 'X-Trace': 't' }),
        call('createCustomer', { body: { name: 'Ben' } }),
        call('getCustomer', { id: 'none' }),
        call('createCustomer', { body: { parent: {} } }),
        call('getCustomer', { id: '..' }),
        call('goAway'),
        { text: 'ok' },
      ],
      'who are you': [{ text: 'a seller' }],
    })
    await using chat = await world.chat({ session_id: id })
    expect((await chat.run('who is 7', { mode: 'executing' })).end).toMatchObject({ status: 'completed' })
    const { results, tools } = world.requests('who is 7').at(-1)!
    expect(tools).toEqual(expect.arrayContaining(['getCustomer', 'createCustomer', 'deleteCustomer', 'goAway']))
    expect(tools).not.toContain('sendPicture')
    expect(service.asked.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', '/v1/customers/a%2Fb%207?fields=name&fields=age', ''],
      ['POST', '/v1/customers', '{"name":"Ben"}'],
      ['GET', '/v1/customers/none', ''],
      ['GET', '/v1/away', ''],
    ])
    expect(service.asked[0]!.headers).toMatchObject({ 'x-key': KEY, 'x-trace': 't' })
    expect(results).toEqual([
      expect.stringContaining('"name":"Anna"'),
      expect.stringContaining('"name":"Anna"'),
      expect.stringMatching(/status 404[^]*nobody/),
      expect.stringMatching(/createCustomer was called with arguments that do not fit.*name/),
      expect.stringMatching(/would change the path/),
      expect.stringMatching(/redirects/),
    ])
    expect(JSON.stringify(world.provider.requests.map(({ body }) => body))).not.toContain(KEY)
    await using other = await world.chat({
      session_id: await begin(world, { solution_id: 'shop', biz_role_id: 'seller' }),
    })
    await other.run('who are you')
    expect(world.requests('who are you')[0]!.tools).not.toContain('getCustomer')
    expect(world.errors).toEqual([])
  })

  test('[W12.7.7] what deletes asks a person first; without its variable nothing is sent', async () => {
    await using service = await startService()
    await using folders = await Folders.make({
      'crm/solution.yaml': 'name: CRM',
      'crm/skills/crm/SKILL.md': SKILL,
      'crm/skills/crm/resources/openapi.yaml': service.document,
    })
    await using world = await World.open('sqlite', { solutionsDir: folders.path })
    const id = await begin(world, { solution_id: 'crm' })
    world.learn({
      'forget 7': [call('deleteCustomer', { id: '7' }), { text: 'done' }],
      'find 7': [call('getCustomer', { id: '7' }), { text: 'ok' }],
    })
    await using chat = await world.chat({ session_id: id })
    await chat.run('find 7')
    expect(world.requests('find 7').at(-1)!.results[0]).toMatch(/no variable CRM_KEY/)
    expect(service.asked).toEqual([])
    await world.rest('PUT', `/api/sessions/${id}/env`, { body: { env: { CRM_KEY: KEY } } })
    await chat.run('forget 7')
    const { items } = (await world.rest<{ items: { id: string }[] }>('GET', '/api/confirmations')).body
    expect(items).toMatchObject([{ tool_name: 'deleteCustomer', arguments: { id: '7' }, risk: 'high' }])
    expect(service.asked).toEqual([])
    const decided = { body: { decision: 'approve' } }
    expect((await world.rest('POST', `/api/confirmations/${items[0]!.id}`, decided)).status).toBe(200)
    await expect
      .poll(() => service.asked.map(({ method, url }) => [method, url]))
      .toEqual([['DELETE', '/v1/customers/7']])
    await expect.poll(() => world.requests('forget 7').at(-1)!.results).toEqual(['Done.'])
  })

  test('[W12.7.7] servers of a skill are its roles’ alone, and their file reaches no workspace', async () => {
    await using small = await smallServer()
    const servers = JSON.stringify({ mcpServers: { small: { ...small.config, env: { TOKEN: KEY } } } })
    await using folders = await Folders.make({ ...SHOP, 'shop/skills/stock/resources/mcp-config.json': servers })
    await using world = await World.open('sqlite', { solutionsDir: folders.path })
    world.learn({
      'greet me': [call('skill__stock'), call('mcp__small__greet', { who: 'you' }), { text: 'ok' }],
      'greet them': [{ text: 'no' }],
    })
    const id = await begin(world, { solution_id: 'shop', biz_role_id: 'buyer', primary_skill_id: 'stock' })
    await using chat = await world.chat({ session_id: id })
    await chat.run('greet me', { mode: 'executing' })
    expect(world.requests('greet me').at(-1)!.results).toEqual([expect.stringContaining('SKILL.md'), 'Hello, you'])
    const file = `/api/sessions/${id}/files/.skills/stock/resources/mcp-config.json`
    expect((await world.rest('GET', file)).status).toBe(404)
    expect(JSON.stringify(world.provider.requests.map(({ body }) => body))).not.toContain(KEY)
    await using other = await world.chat({
      session_id: await begin(world, { solution_id: 'shop', biz_role_id: 'seller' }),
    })
    await other.run('greet them')
    expect(world.requests('greet them')[0]!.tools).not.toContain('mcp__small__greet')
    expect(world.errors).toEqual([])
  })
})

describe('a document of a service in a skill that was uploaded', () => {
  const world = sharedWorld('sqlite')

  function upload(session_id: string, files: Record<string, string>): Promise<Answer> {
    const list = Object.entries({ 'SKILL.md': SKILL, ...files }).map(([path, content]) => ({ path, content }))
    return world().rest('POST', `/api/sessions/${session_id}/skills:upload`, {
      body: { name: 'acme/crm', files: list },
    })
  }

  test('[W12.7.7] a host that nobody has named asks first, and a private one is never reached', async () => {
    await using service = await startService()
    const id = await begin(world(), { env: { CRM_KEY: KEY } })
    const { body } = await upload(id, { 'resources/crm.openapi.yaml': service.document })
    expect(body['tools']).toEqual(expect.arrayContaining([{ name: 'getCustomer', description: 'Find a customer' }]))
    const { host } = new URL(service.base)
    const named = `find 7 at ${service.base}`
    world().learn({
      'find 7': [call('getCustomer', { id: '7' }), { text: 'ok' }],
      [named]: [call('getCustomer', { id: '7' }), { text: 'ok' }],
    })
    await using chat = await world().chat({ session_id: id })
    await chat.run('find 7')
    expect(await chat.session()).toMatchObject({ status: 'waiting_for_input' })
    await chat.run(named)
    expect(world().requests(named).at(-1)!.results.at(-1)).toMatch(/127\.0\.0\.1/)
    expect([host, service.asked]).toEqual([host, []])
  })

  test('[W12.7.7] an uploaded skill starts no MCP server, and says so', async () => {
    await using small = await smallServer()
    const id = await begin(world(), {})
    const { body } = await upload(id, { 'resources/mcp-config.json': JSON.stringify({ small: small.config }) })
    expect(body['tools_problem']).toMatch(/^resources\/mcp-config\.json: starts nothing/)
    world().learn({ 'greet me': [{ text: 'no' }] })
    await using chat = await world().chat({ session_id: id })
    await chat.run('greet me')
    expect(
      world()
        .requests('greet me')[0]!
        .tools.filter((name) => name.startsWith('mcp__')),
    ).toEqual([])
  })

  const aliases = [
    'a: &a [x,x,x,x,x,x,x,x,x,x]',
    ...Array.from(
      { length: 9 },
      (_, at) => `${'bcdefghij'[at]}: &${'bcdefghij'[at]} [${Array(10).fill(`*${'abcdefghi'[at]}`).join()}]`,
    ),
  ]
  const valid = (paths: string) => `openapi: 3.1.0\nservers: [{ url: https://crm.example.com }]\npaths:\n${paths}`
  const many = Array.from({ length: 70 }, (_, at) => `  /p${at}: { get: {} }`).join('\n')

  test.each([
    ['no YAML', 'openapi: [3\n', /^resources\/x\.openapi\.yaml:\d+: /],
    ['another version', 'swagger: "2.0"\npaths: {}\n', /yaml:1: is no OpenAPI document of version 3/],
    ['aliases', `openapi: 3.0.0\n${aliases.join('\n')}\n`, /alias/i],
    ['no server', 'openapi: 3.0.0\npaths:\n  /a: { get: {} }\n', /yaml:3: GET \/a: servers: is missing/],
    [
      'a server that is a file',
      'openapi: 3.0.0\nservers: [{ url: "file:///etc" }]\npaths:\n  /a: { get: {} }\n',
      /whole http or https address/,
    ],
    [
      'a foreign reference',
      valid('  /a:\n    get: { parameters: [{ $ref: "https://evil.example/x.yaml" }] }'),
      /yaml:5: GET \/a: https:\/\/evil.*inside the document/,
    ],
    [
      'a reference to itself',
      `${valid('  /a:\n    get: { parameters: [{ $ref: "#/components/a" }] }')}\ncomponents: { a: { $ref: "#/components/a" } }`,
      /leads nowhere/,
    ],
    ['too many operations', valid(many), /GET \/p64: there are more than 64 operations/],
    ['a megabyte', `# ${'x'.repeat(600_000)}`, /larger than 524288 bytes/],
    ['a tower', `openapi: 3.0.0\nx: ${'['.repeat(50_000)}`, /./],
  ])('[W12.7.7] [D7] a document with %s is named by path and line, and harms nobody', async (_what, text, problem) => {
    const id = await begin(world(), {})
    const { status, body } = await upload(id, { 'resources/x.openapi.yaml': text })
    expect([status, body['tools_problem']]).toEqual([200, expect.stringMatching(problem)])
    expect((await world().rest('GET', '/api/health')).status).toBe(200)
    expect(world().errors).toEqual([])
  })
})
