import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStore } from '../../../src/open-store.ts'
import { optionsSchema, withDefaults } from '../../../src/config/options.ts'
import { runSql } from '../../../src/store/work.ts'
import { type Answer, OWNER_KEY, STORES, World } from '../../wire/world.ts'
import { json, later, SECRET } from './receiver.ts'
import { Rig, toolOf } from './rig.ts'

// Which tools in backends there are: those of the configuration, and those that the owner makes.

const allowed = { egress: { allow: ['127.0.0.1'] } }

describe.each(STORES)('over REST, on %s', (store) => {
  let rig: Rig

  beforeAll(async () => {
    rig = await Rig.open({ configured: {} }, { store, ...allowed })
  })
  afterAll(() => rig?.[Symbol.asyncDispose]())

  const make = (name: string, more: object = {}, token = OWNER_KEY): Promise<Answer> =>
    rig.world.rest('POST', '/api/http-tools', { body: { ...toolOf(name, rig.receiver.url), ...more }, token })

  test('[W12.11.1] the owner makes a tool, which the next run has, and nobody is shown its secret again', async () => {
    const made = await make('restock', { risk: 'low', display_name: 'Order more' })
    const shown = {
      name: 'restock',
      description: 'Does restock.',
      display_name: { zh: 'Order more', en: 'Order more' },
      schema: { type: 'object', properties: { text: { type: 'string' } } },
      url: rig.receiver.url,
      ...{ risk: 'low', replay: 'never', readOnly: false, requiresConfirmation: false },
      ...{ timeoutMs: 30_000, laterMs: 900_000, source: 'rest', status: 'ready' },
    }
    expect(made).toMatchObject({ status: 201, body: shown })
    expect(await rig.call('restock')).toMatchObject({
      status: 'done',
      result: 'did restock',
      display_name: 'Order more',
    })
    expect(rig.receiver.of('restock').at(-1)).toMatchObject({ isSigned: true })
    const one = await rig.world.rest('GET', '/api/http-tools/restock')
    expect(one.body).toEqual(shown)
    const all = await rig.world.rest<{ items: { name: string; source: string }[]; total: number }>(
      'GET',
      '/api/http-tools',
    )
    expect(all.body.items.map(({ name, source }) => [name, source])).toEqual([
      ['configured', 'configuration'],
      ['restock', 'rest'],
    ])
    const listed = await rig.world.rest('GET', '/api/tools')
    expect(JSON.stringify([made.body, one.body, all.body, listed.body])).not.toContain(SECRET)
  })

  test('[W12.11.1] a change counts from the next run on; the secret stays unless another is given', async () => {
    await make('changing')
    const { name: _name, secret: _secret, ...rest } = toolOf('changing', rig.receiver.url)
    const put = (body: object) => rig.world.rest('PUT', '/api/http-tools/changing', { body })
    expect(await put({ ...rest, description: 'Something else.' })).toMatchObject({
      status: 200,
      body: { description: 'Something else.' },
    })
    await rig.call('changing')
    expect(rig.receiver.of('changing').at(-1)).toMatchObject({ isSigned: true })
    expect((await put({ ...rest, secret: 'a new secret for this tool' })).status).toBe(200)
    await rig.call('changing')
    expect(rig.receiver.of('changing').at(-1)).toMatchObject({ isSigned: false })
    expect((await put({ ...rest, name: 'other' })).body).toMatchObject({ code: 'invalid_payload' })
    const tools = rig.world.requests('call 1')
    expect(JSON.stringify(tools)).not.toContain('a new secret')
  })

  test('[W12.11.1] one that is deleted is gone, also for a call back', async () => {
    await make('leaving')
    rig.receiver.replies['leaving'] = later
    await using begun = await rig.begin('leaving')
    const { callback_url } = (await rig.receiver.until('leaving')).body
    const remove = () => rig.world.rest('DELETE', '/api/http-tools/leaving')
    expect((await remove()).status).toBe(204)
    expect((await remove()).status).toBe(404)
    expect((await rig.world.rest('GET', '/api/http-tools/leaving')).status).toBe(404)
    expect((await fetch(callback_url, { method: 'POST' })).status).toBe(401)
    await begun.chat.stop()
    await begun.end()
    expect(await rig.call('leaving')).toMatchObject({ status: 'error', result: 'There is no tool named leaving.' })
  })

  test('[W12.11.1] only the owner sees and changes them', async () => {
    const token = rig.world.strangersKey
    const body = toolOf('mine', rig.receiver.url)
    for (const [method, path] of [
      ['GET', '/api/http-tools'],
      ['POST', '/api/http-tools'],
      ['GET', '/api/http-tools/restock'],
      ['PUT', '/api/http-tools/restock'],
      ['DELETE', '/api/http-tools/restock'],
    ] as const)
      expect(await rig.world.rest(method, path, { token, ...(method.startsWith('P') && { body }) })).toMatchObject({
        status: 403,
        body: { code: 'forbidden' },
      })
  })

  test.each([
    'configured',
    'Read',
    'TaskCreate',
    'AskUserQuestion',
    'mcp__files__read',
    'skill__pdf',
    'submit_result',
    'Bash',
  ])('[W12.11.1] the name %s is taken', async (name) => {
    expect(await make(name)).toMatchObject({ status: 409, body: { code: 'already_exists' } })
  })

  test('[W12.11.1] so is one of their own, and of several at once one is made', async () => {
    const made = await Promise.all([make('race'), make('race'), make('race')])
    expect(made.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(made.filter(({ status }) => status === 409)).toHaveLength(2)
  })

  test('[W12.11.1] a configured one cannot be changed here', async () => {
    const { name: _name, ...body } = toolOf('configured', rig.receiver.url)
    const put = await rig.world.rest('PUT', '/api/http-tools/configured', { body })
    const gone = await rig.world.rest('DELETE', '/api/http-tools/configured')
    for (const answer of [put, gone])
      expect(answer).toMatchObject({
        status: 409,
        body: { code: 'already_exists', detail: expect.stringMatching(/httpTools/) },
      })
    expect(await rig.call('configured')).toMatchObject({ status: 'done' })
  })

  test.each<[string, object, RegExp]>([
    ['an unknown field', { riks: 'low' }, /riks: There is no such field; did you mean risk/],
    ['a name no model takes', { name: 'a b' }, /name: must be letters/],
    ['a name that clients draw as a sub-agent', { name: 'my_agent' }, /must not contain agent or fork/],
    ['a schema of something else', { schema: { type: 'string' } }, /schema.type: must be "object"/],
    ['a schema that is none', { schema: { type: 'object', properties: { a: { type: 'nothing' } } } }, /^schema: /],
    ['a short secret', { secret: 'short' }, /secret: must have at least 16/],
    ['a secret that is not the base64 it says', { secret: 'whsec_*******************' }, /secret: must have/],
    ['a secret of few bytes', { secret: 'whsec_QUJDREVGR0hJSkts' }, /secret: must have/],
    ['an address of another kind', { url: 'file:///etc/passwd' }, /url: must be an http or https address/],
    ['an address with a password', { url: 'https://me:hunter2hunter2@example.com/' }, /^url: .*carries a user name/],
    [
      'a private address',
      { url: 'http://10.0.0.1/' },
      /^url: 10\.0\.0\.1 is not on the public internet.*`egress\.allow` in the configuration/,
    ],
    ['metadata', { url: 'http://169.254.169.254/' }, /^url: .*not on the public internet/],
    ['a replay that is none', { replay: 'maybe' }, /replay/],
    ['a time that is too long', { timeoutMs: 3_600_000 }, /timeoutMs/],
    ['more than a model should read', { description: 'x'.repeat(70_000) }, /65536 characters/],
  ])('[W12.11.1] refused by name: %s', async (_what, more, said) => {
    const answer = await make('refused', more)
    expect(answer).toMatchObject({
      status: 422,
      body: { code: 'invalid_payload', detail: expect.stringMatching(said) },
    })
    expect(JSON.stringify(answer.body)).not.toMatch(/hunter2/)
  })

  test('[W12.11.1] in the database nothing of a tool can be read but its name, and every change is in the audit log', async () => {
    await make('with_query', { url: `${rig.receiver.url}?code=hunter2hunter2`, description: 'Knows a customer.' })
    expect(await rig.call('with_query')).toMatchObject({ status: 'done' })
    if (store === 'sqlite') await rig.world.stop()
    const { dataDir, databaseUrl } = rig.world
    await using engine = await openStore(withDefaults({ dataDir, ...(databaseUrl && { databaseUrl }) }))
    const tools = await engine.select<{ secret: string }>('SELECT * FROM http_tools', [])
    expect(tools.length).toBeGreaterThan(2)
    expect(JSON.stringify(tools)).not.toContain(SECRET.slice(6))
    expect(JSON.stringify(tools)).not.toMatch(/hunter2|customer|127\.0\.0\.1|Does /)
    const audit = await engine.select<{ action: string; subject: string; detail: string | null }>(
      `SELECT action, subject, detail FROM audit WHERE action LIKE 'http_tool.%' ORDER BY at`,
      [],
    )
    expect(audit.filter(({ subject }) => subject === 'changing')).toEqual([
      { action: 'http_tool.create', subject: 'changing', detail: null },
      { action: 'http_tool.change', subject: 'changing', detail: null },
      { action: 'http_tool.change', subject: 'changing', detail: 'with a new secret' },
    ])
    expect(audit.map(({ action }) => action)).toContain('http_tool.delete')
    expect(JSON.stringify(audit)).not.toMatch(/whsec|a new secret for/)
  })
})

test('[W12.11.1] what one instance is told, another has in its next run', async () => {
  await using rig = await Rig.open({}, { store: 'postgres', ...allowed })
  const elsewhere = await rig.beside()
  const headers = { authorization: `Bearer ${OWNER_KEY}`, 'content-type': 'application/json' }
  const body = JSON.stringify(toolOf('shared', rig.receiver.url))
  expect((await fetch(`${elsewhere}/api/http-tools`, { method: 'POST', headers, body })).status).toBe(201)
  expect(await rig.call('shared')).toMatchObject({ status: 'done', result: 'did shared' })
  expect((await fetch(`${elsewhere}/api/http-tools/shared`, { method: 'DELETE', headers })).status).toBe(204)
  expect(await rig.call('shared')).toMatchObject({ status: 'error', result: 'There is no tool named shared.' })
})

test('[W12.11.1] after a restart with another PARLEY_SECRET such a tool is left out, and the list says why', async () => {
  await using rig = await Rig.open({}, { store: 'postgres', ...allowed })
  await rig.world.rest('POST', '/api/http-tools', { body: toolOf('sealed', rig.receiver.url) })
  const elsewhere = await rig.beside({ secret: 'quite another secret of this server', ...allowed })
  const headers = { authorization: `Bearer ${OWNER_KEY}` }
  const list = await (await fetch(`${elsewhere}/api/http-tools`, { headers })).json()
  expect(list).toEqual({ items: [{ name: 'sealed', source: 'rest', status: 'unreadable' }], total: 1 })
  const one = await fetch(`${elsewhere}/api/http-tools/sealed`, { headers })
  expect(await one.json()).toEqual({ name: 'sealed', source: 'rest', status: 'unreadable' })
  const tools = await (await fetch(`${elsewhere}/api/tools`, { headers })).text()
  expect(tools).not.toContain('sealed')
})

test('[W12.11.1] a tool that was stored before definitions were sealed goes on, and one that was put under another name does not', async () => {
  await using rig = await Rig.open({}, { store: 'postgres', ...allowed })
  await using engine = await openStore(
    withDefaults({ dataDir: rig.world.dataDir, databaseUrl: rig.world.databaseUrl! }),
  )
  for (const name of ['plain', 'taken'])
    await rig.world.rest('POST', '/api/http-tools', { body: toolOf(name, rig.receiver.url) })
  const { body } = await rig.world.rest('GET', '/api/http-tools/plain')
  const { source: _source, status: _status, ...tool } = body
  await engine.write(() => runSql(`UPDATE http_tools SET definition = ? WHERE name = 'plain'`, [JSON.stringify(tool)]))
  await engine.write(() => runSql(`UPDATE http_tools SET name = 'moved' WHERE name = 'taken'`, []))
  expect(await rig.call('plain')).toMatchObject({ status: 'done', result: 'did plain' })
  const list = await rig.world.rest<{ items: object[] }>('GET', '/api/http-tools')
  expect(list.body.items).toMatchObject([
    { name: 'moved', status: 'unreadable' },
    { name: 'plain', status: 'ready' },
  ])
})

test('[W12.11.2] who listens everywhere without a publicUrl is warned, once, that backends are told to call back to localhost', async () => {
  const host = '0.0.0.0'
  const warned = ({ world }: Rig) => world.warnings.filter((line) => line.includes('publicUrl'))
  await using rig = await Rig.open({ one: {}, two: {} }, { host })
  expect(warned(rig)).toEqual([expect.stringMatching(/call back to http:\/\/localhost:\d+/)])
  await using named = await Rig.open({ one: {} }, { host, publicUrl: 'http://localhost:8020' })
  expect(warned(named)).toEqual([])
  await using here = await Rig.open({ one: {} })
  expect(warned(here)).toEqual([])
  await using none = await Rig.open({}, { host, ...allowed })
  expect(warned(none)).toEqual([])
  for (const name of ['first', 'second'])
    await none.world.rest('POST', '/api/http-tools', { body: toolOf(name, none.receiver.url) })
  await expect.poll(() => warned(none)).toHaveLength(1)
})

test('[W12.11.7] a name that leads to a private address is asked for the configuration alone', async () => {
  await using rig = await Rig.open({})
  const port = new URL(rig.receiver.url).port
  const url = `http://backend.test:${port}/tools`
  const world = await World.open('sqlite', { httpTools: [toolOf('trusted', url)] }, async () => [
    { address: '127.0.0.1', family: 4 },
  ])
  await using _closed = world
  const made = await world.rest('POST', '/api/http-tools', { body: toolOf('chosen', url) })
  expect(made.status).toBe(201)
  world.learn({
    both: [
      {
        calls: [
          { name: 'trusted', arguments: {} },
          { name: 'chosen', arguments: {} },
        ],
      },
      { text: 'I see.' },
    ],
  })
  await using chat = await world.chat()
  await chat.run('both')
  const calls = (await chat.messages()).flatMap(({ tool_calls }) => tool_calls)
  expect(calls.map(({ result }) => result)).toEqual([
    'did trusted',
    'The address of chosen may not be asked by this server.',
  ])
  expect(rig.receiver.of('chosen')).toEqual([])
  expect(world.warnings.join()).toContain('backend.test (127.0.0.1) is not on the public internet')
})

test('[W12.11.7] what the operator denies is not asked, however it was named', async () => {
  await using rig = await Rig.open({})
  const httpTools = [toolOf('denied', rig.receiver.url)]
  await expect(World.open('sqlite', { httpTools, egress: { deny: ['127.0.0.0/8'] } })).rejects.toThrow(
    'httpTools: denied: url: 127.0.0.1 is denied by the configuration of this server.',
  )
})

describe('[W12.11.1] in the configuration', () => {
  test.each<[string, ReturnType<typeof toolOf>[], RegExp]>([
    ['a name of ours', [toolOf('Read', 'http://a.test/')], /httpTools: there is a tool named Read already/],
    ['a reserved name', [toolOf('mcp__a__b', 'http://a.test/')], /there is a tool named mcp__a__b already/],
    ['one name twice', [toolOf('a', 'http://a.test/'), toolOf('a', 'http://b.test/')], /httpTools: two are named a/],
    [
      'a schema that is none',
      [toolOf('a', 'http://a.test/', { schema: { type: 'object', required: 7 } })],
      /httpTools: a: schema: /,
    ],
    ['a password in the address', [toolOf('a', 'http://me:pw@a.test/')], /httpTools: a: url: .*user name or password/],
  ])('%s is an error that names it', async (_what, httpTools, said) => {
    await expect(World.open('sqlite', { httpTools })).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringMatching(said),
    })
  })

  test('what is written wrongly is refused by its path', () => {
    const { error } = optionsSchema.safeParse({ httpTools: [{ ...toolOf('a', 'ftp://a.test/'), secrets: 1 }] })
    expect(error?.issues.map(({ path, code }) => [path.join('.'), code])).toEqual([
      ['httpTools.0.url', 'invalid_format'],
      ['httpTools.0', 'unrecognized_keys'],
    ])
  })
})

test('[W12.11.2] an ordinary receiver keeps results by id: a repeated request is the same deed', async () => {
  await using rig = await Rig.open({ keyed: { replay: 'keyed' } })
  const done = new Map<string, number>()
  rig.receiver.replies['keyed'] = (response, posted) => {
    const { call_id } = posted.body
    const isFirst = !done.has(call_id)
    done.set(call_id, (done.get(call_id) ?? 0) + (isFirst ? 1 : 0))
    // The first answer is lost on its way.
    if (isFirst) response.destroy()
    else void json({ result: 'done once' })(response, posted)
  }
  expect(await rig.call('keyed')).toMatchObject({ status: 'done', result: 'done once' })
  expect([...done.values()]).toEqual([1])
})
