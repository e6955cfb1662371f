import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startFakeModel } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { mint } from '../auth/visitors.ts'
import { STORES, sharedWorld, World } from '../wire/world.ts'
import { answer, post } from './reader.ts'

const ALL = '/api/models/configs'
const KEY = 'sk-very-secret-0123456789'

type Config = { id: number; name: string; models: { model_id: string }[]; updated_at: string; is_active: boolean }
type Page = { total: number; page: number; page_size: number; items: Config[] }

describe.each(STORES)('on %s', (store) => {
  // The fake provider is on this machine, which nobody may name unless the configuration does.
  const world = sharedWorld(store, { egress: { allow: ['127.0.0.1'] } })

  const valid = (name: string, more: object = {}) => ({
    name,
    provider: 'openai',
    base_url: world().provider.url,
    api_key: KEY,
    models: [{ model_id: 'one', support_vision: false, support_thinking: false }, { model_id: 'two' }],
    ...more,
  })
  const create = async (name: string, more: object = {}): Promise<Config> => {
    const { status, body } = await world().rest<Config>('POST', ALL, { body: valid(name, more) })
    expect(status, JSON.stringify(body)).toBe(201)
    return body
  }

  test('[O14] a configuration is made, listed, read, changed, switched and deleted; its key never comes back', async () => {
    const made = await create(' spaced ')
    expect(made).toEqual({
      id: expect.any(Number),
      name: 'spaced',
      provider: 'openai',
      base_url: world().provider.url,
      models: [
        { model_id: 'one', support_vision: false, support_thinking: false },
        { model_id: 'two', support_vision: false, support_thinking: false },
      ],
      is_active: true,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      updated_at: made.updated_at,
    })
    const one = `${ALL}/${made.id}`
    expect((await world().rest('GET', one)).body).toEqual(made)
    const changed = await world().rest<Config>('PUT', one, {
      body: { name: 'other', api_key: '', updated_at: made.updated_at },
    })
    expect(changed).toMatchObject({ status: 200, body: { name: 'other', models: made.models } })
    expect(changed.body.updated_at > made.updated_at).toBe(true)
    const off = await world().rest<Config>('PATCH', `${one}/status?is_active=false`)
    expect(off).toMatchObject({ status: 200, body: { is_active: false, name: 'other' } })
    const list = await world().rest<Page>('GET', `${ALL}?page=1&page_size=100&is_active=false&provider=`)
    expect(list.body).toEqual({ total: 1, page: 1, page_size: 100, items: [off.body] })
    for (const { body } of [changed, off, list]) expect(JSON.stringify(body)).not.toContain('api_key')
    expect((await world().rest('DELETE', one)).status).toBe(204)
    expect((await world().rest('DELETE', one)).status).toBe(404)
    expect(await world().rest('GET', one)).toMatchObject({ status: 404, body: { detail: '配置不存在' } })
    const next = await create('after it')
    expect(next.id).toBeGreaterThan(made.id)
  })

  test('[O14] a change that somebody else has overtaken is 409; the time is compared as text', async () => {
    const made = await create('raced')
    const put = (body: object) => world().rest('PUT', `${ALL}/${made.id}`, { body })
    expect((await put({ name: 'raced 2', updated_at: made.updated_at })).status).toBe(200)
    const late = await put({ name: 'raced 3', updated_at: made.updated_at })
    expect(late.status).toBe(409)
    expect(late.body['detail']).toContain('已被其他用户修改')
    expect(late.body['message']).toBe(late.body['detail'])
    expect((await put({ updated_at: made.updated_at.replace('Z', '+00:00') })).status).toBe(409)
  })

  test('[O14] of changes at once that name no time, each is made', async () => {
    const made = await create('crowded')
    const one = `${ALL}/${made.id}`
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, n) => [
        world().rest('PUT', one, { body: { models: [{ model_id: `m${n}` }] } }),
        world().rest('PATCH', `${one}/status?is_active=${n % 2 === 0}`),
      ]).flat(),
    )
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(all.map(({ body }) => body['updated_at'])).size).toBe(all.length)
  })

  test('[O14] names are unique', async () => {
    await create('taken')
    const made = await create('free')
    expect((await world().rest('POST', ALL, { body: valid('taken') })).status).toBe(400)
    expect((await world().rest('PUT', `${ALL}/${made.id}`, { body: { name: 'taken' } })).status).toBe(400)
    expect((await world().rest('POST', ALL, { body: valid('no key', { api_key: undefined }) })).status).toBe(400)
  })

  test.each([
    ['no name', { name: ' ' }],
    ['a name too long', { name: 'x'.repeat(256) }],
    ['a name with NUL', { name: 'a\0b' }],
    ['another provider', { provider: 'other' }],
    ['no models', { models: [] }],
    ['a model twice', { models: [{ model_id: 'a' }, { model_id: 'a' }] }],
    ['a model without a name', { models: [{ model_id: '' }] }],
    ['no address', { base_url: '' }],
    ['a file', { base_url: 'file:///etc/passwd' }],
    ['an address inside', { base_url: 'http://169.254.169.254/latest' }],
    ['an address inside, spelled otherwise', { base_url: 'http://0xa9fea9fe/latest' }],
    ['a private address', { base_url: 'http://10.0.0.1/v1' }],
    ['a password in it', { base_url: 'https://me:secret@example.com/v1' }],
    ['a key that would break a header', { api_key: 'a\r\nx-evil: 1' }],
  ])('[O14] %s is 422 and stores nothing', async (_what, more) => {
    const before = (await world().rest<Page>('GET', ALL)).body.total
    const { status, body } = await world().rest('POST', ALL, { body: valid('refused', more) })
    expect(status, JSON.stringify(body)).toBe(422)
    expect(body['message']).toBe(body['detail'])
    expect((await world().rest<Page>('GET', ALL)).body.total).toBe(before)
  })

  test.each(['0', '-1', '1.5', 'x', '9'.repeat(15), '9'.repeat(40), '%00', '1e3', '1;drop'])(
    '[O14] %s is no id',
    async (id) => {
      for (const [method, path] of [
        ['GET', ''],
        ['PUT', ''],
        ['DELETE', ''],
        ['PATCH', '/status?is_active=true'],
      ] as const)
        expect((await world().rest(method, `${ALL}/${id}${path}`, method === 'PUT' ? { body: {} } : {})).status).toBe(
          404,
        )
    },
  )

  test.each(['page=0', 'page=x', 'page_size=101', 'page_size=0', 'is_active=maybe', 'provider=other'])(
    '[O14] ?%s is 422',
    async (query) => expect((await world().rest('GET', `${ALL}?${query}`)).status).toBe(422),
  )

  test('[O14] others of the server see them, the owner alone changes them, visitors neither', async () => {
    const { id } = await create('rights')
    const token = world().strangersKey
    expect((await world().rest('GET', `${ALL}/${id}`, { token })).status).toBe(200)
    const writes = [
      ['POST', ALL, valid('theirs')],
      ['PUT', `${ALL}/${id}`, { name: 'theirs' }],
      ['DELETE', `${ALL}/${id}`, undefined],
      ['PATCH', `${ALL}/${id}/status?is_active=false`, undefined],
      ['POST', `${ALL}/test-connection`, { base_url: world().provider.url, api_key: 'k' }],
    ] as const
    for (const [method, path, body] of writes)
      expect((await world().rest(method, path, { token, ...(body && { body }) })).status, path).toBe(403)
    const visitor = (await mint(world(), 'anna')).token
    expect((await world().rest('GET', ALL, { token: visitor })).status).toBe(403)
    const asked = { user_input: 'x', model_config_id: id, model_id: 'one' }
    const refused = await post(world(), asked, { token: visitor })
    expect([refused.status, ((await refused.json()) as { detail: string }).detail]).toEqual([404, '配置不存在'])
    const session = (await world().rest<{ id: string }>('POST', '/api/sessions', { body: {}, token: visitor })).body.id
    const native = await world().rest('POST', `/api/sessions/${session}/chat`, {
      body: { message: 'x', model: `config:${id}/one` },
      token: visitor,
    })
    expect(native.status).toBe(403)
  })

  test('[OB15] [O2] an input names a configuration and one of its models; without them the server’s model answers', async () => {
    world().learn({
      [`${store}: stored one`]: [{ text: 'from one' }],
      [`${store}: stored two`]: [{ text: 'from two' }],
      [`${store}: default`]: [{ text: 'from the default' }],
    })
    const { id } = await create('used')
    const first = await answer(world(), { user_input: `${store}: stored one`, model_config_id: id, model_id: 'one' })
    const { session_id } = first
    await answer(world(), { user_input: `${store}: stored two`, session_id, model_config_id: id, model_id: 'two' })
    await answer(world(), { user_input: `${store}: default`, session_id })
    const asked = ['stored one', 'stored two', 'default'].map((what) => world().requests(`${store}: ${what}`)[0]!)
    expect(asked.map(({ body }) => body['model'])).toEqual(['one', 'two', 'fake-model'])
    expect(asked.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`, undefined])
    // [O12.5] What was said before goes along.
    expect(JSON.stringify(asked[2]!.messages)).toContain('from one')
  })

  test('[O16.10] [O2.2] [O2.3] [O2.4] [O2.5] the checks come in their order, each with its words', async () => {
    const { id } = await create('checked')
    const off = await create('switched off', { is_active: false })
    const session_id = 'sess_unknown'
    const refused = async (body: object) => {
      const reply = await post(world(), { user_input: 'x', session_id, ...body })
      const { detail, message } = (await reply.json()) as { detail: string; message: string }
      expect(message).toBe(detail)
      return [reply.status, detail]
    }
    expect(await refused({ model_config_id: 999_999, model_id: 'one' })).toEqual([404, '配置不存在'])
    expect(await refused({ model_config_id: 2 ** 52, model_id: 'one' })).toEqual([404, '配置不存在'])
    expect(await refused({ model_config_id: off.id, model_id: 'three' })).toEqual([
      400,
      "模型配置 'switched off' 已禁用",
    ])
    expect(await refused({ model_config_id: id, model_id: 'three' })).toEqual([
      400,
      "模型 ID 'three' 不在配置 'checked' 中。可用模型: ['one', 'two']",
    ])
    expect(await refused({ model_config_id: id, model_id: 'one' })).toEqual([404, `Session not found: ${session_id}`])
  })

  test('[O14] a connection is tried with one short request, and what is wrong is told', async () => {
    world().learn({ ping: () => ({ text: 'pong' }) })
    const base_url = world().provider.url
    const attempt = async (body: object) => {
      const { status, body: told } = await world().rest('POST', `${ALL}/test-connection`, { body })
      expect(status).toBe(200)
      return told
    }
    expect(await attempt({ base_url, api_key: 'k', model_id: 'one' })).toMatchObject({ success: true })
    expect(await attempt({ base_url, api_key: 'k' })).toMatchObject({ success: true })
    await using broken = await startFakeModel([{ error: { status: 401, body: { error: { message: `bad ${KEY}` } } } }])
    const failed = await attempt({ base_url: broken.url, api_key: KEY, model_id: 'one' })
    expect(failed).toMatchObject({ success: false, message: expect.any(String) })
    expect(JSON.stringify(failed)).not.toContain(KEY)
    const inside = await attempt({ base_url: 'http://169.254.169.254/v1', api_key: 'k' })
    expect(inside).toMatchObject({ success: false, raw_error: expect.stringContaining('public internet') })
  })
})

test('[O14] a name that leads inside is not asked, whenever it does', async () => {
  await using world = await World.open('sqlite', {}, async () => [{ address: '127.0.0.1', family: 4 }])
  const { port } = new URL(world.provider.url)
  const base_url = `http://models.example.com:${port}/v1`
  const body = { name: 'rebound', provider: 'openai', base_url, api_key: 'k', models: [{ model_id: 'one' }] }
  const { id } = (await world.rest<Config>('POST', ALL, { body })).body
  const response = await answer(world, { user_input: 'inside', model_config_id: id, model_id: 'one' })
  expect(response.trace.slice(-2)).toEqual(['error(Model request failed(502))', 'response_completed'])
  expect(world.provider.requests).toHaveLength(0)
})

test('[O16.14] [OB17] [O12.4] [O14] sessions and configurations survive a restart, and no key lies on the disk in the clear', async () => {
  await using world = await World.open('sqlite', { egress: { allow: ['127.0.0.1'] } })
  world.learn({ before: [{ text: 'said before' }], after: [{ text: 'said after' }] })
  const body = {
    ...{ name: 'kept', provider: 'openai', base_url: world.provider.url, api_key: KEY },
    models: [{ model_id: 'one' }],
  }
  const { id } = (await world.rest<Config>('POST', ALL, { body })).body
  const model = { model_config_id: id, model_id: 'one' }
  const { session_id } = await answer(world, { user_input: 'before', ...model })
  await world.stop()
  for (const name of await readdir(world.dataDir, { recursive: true }))
    expect(await readFile(join(world.dataDir, name)).catch(() => ''), name).not.toContain(KEY)
  await world.start()
  await answer(world, { user_input: 'after', session_id, ...model })
  const [request] = world.requests('after')
  expect(JSON.stringify(request!.messages)).toContain('said before')
  expect(request!.headers.authorization).toBe(`Bearer ${KEY}`)
})
