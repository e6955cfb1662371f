import type { Memory, Page } from '@parley/protocol/rest'
import { describe, expect, test } from 'vitest'
import { openStore } from '../../src/open-store.ts'
import { withDefaults } from '../../src/config/options.ts'
import { MAX_MEMORIES } from '../../src/memory/remember.ts'
import { runSql } from '../../src/store/work.ts'
import { mint } from '../auth/visitors.ts'
import { sharedWorld, STORES } from '../wire/world.ts'

const ALL = '/api/memories'
const ONE = '/api/memories/{id}'

/** Every row of 11.4. */
const ROUTES: [method: string, path: string, body?: object][] = [
  ['POST', ALL, { content: 'I like trains' }],
  ['GET', ALL],
  ['GET', ONE],
  ['PUT', ONE, { content: 'changed' }],
  ['PATCH', ONE, { disabled: true }],
  ['DELETE', ONE],
  ['POST', `${ALL}/batch`, { action: 'delete', ids: [1] }],
]

const INVALID: [method: string, path: string, body?: unknown][] = [
  ['POST', ALL, {}],
  ['POST', ALL, { content: '' }],
  ['POST', ALL, { content: '  \n ' }],
  ['POST', ALL, { content: 'x'.repeat(501) }],
  ['POST', ALL, { content: 'a\0b' }],
  ['POST', ALL, { content: 7 }],
  ['POST', ALL, { content: 'x', type: 'odd' }],
  ['POST', ALL, { content: 'x', record_type: 'odd' }],
  ['POST', ALL, { content: 'x', topic: 'y'.repeat(256) }],
  ['POST', ALL, { content: 'x', write_reason: '' }],
  ['GET', `${ALL}?limit=0`],
  ['GET', `${ALL}?limit=101`],
  ['GET', `${ALL}?offset=-1`],
  ['GET', `${ALL}?status=odd`],
  ['GET', `${ALL}?type=odd`],
  ['PUT', ONE, { content: '' }],
  ['PUT', ONE, { type: 'odd' }],
  ['PATCH', ONE, {}],
  ['PATCH', ONE, { disabled: 'yes' }],
  ['POST', `${ALL}/batch`, { action: 'odd', ids: [1] }],
  ['POST', `${ALL}/batch`, { action: 'delete', ids: [] }],
  ['POST', `${ALL}/batch`, { action: 'delete', ids: Array.from({ length: 101 }, (_, n) => n) }],
  ['POST', `${ALL}/batch`, { action: 'delete', ids: ['1'] }],
]

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)
  let made = 0
  const keep = async (more: object = {}, token?: string): Promise<Memory> => {
    const body = { content: `I like number ${(made += 1)}`, ...more }
    return (await world().rest<Memory>('POST', ALL, { body, ...(token !== undefined && { token }) })).body
  }
  /** One by one over REST they would take a minute. */
  const fill = async (user_id: string, count: number) => {
    const { dataDir, databaseUrl } = world()
    await using engine = await openStore(withDefaults({ dataDir, ...(databaseUrl && { databaseUrl }) }))
    await engine.write(function* () {
      for (let n = 0; n < count; n++)
        yield* runSql(
          `INSERT INTO memories (user_id, type, content, created_at, source_session, folded, fingerprint) VALUES (?, 'feedback', ?, 't', '', ?, ?)`,
          [user_id, `n ${n}`, `n ${n}`, `print ${n}`],
        )
    })
  }
  const read = async (id: number) => (await world().rest<Memory>('GET', `${ALL}/${id}`)).body
  const list = async (query = '', token?: string) =>
    (await world().rest<Page<Memory>>('GET', `${ALL}${query}`, { ...(token !== undefined && { token }) })).body

  test('[W11.4] [W7.7] [WR-71] a memory is made with every field, read, listed, changed, switched off and deleted', async () => {
    const said = {
      content: ' Reports go out as PDF. ',
      type: 'experience',
      skill_name: 'reports',
      scope: 'team',
      owner: 'ops',
      topic: 'format',
      mem0_id: 'm-1',
      record_type: 'memory',
      write_reason: 'asked for',
    }
    const created = await world().rest<Memory>('POST', ALL, { body: { ...said, unheard: 1 } })
    expect(created.status).toBe(201)
    const { ignored, ...memory } = created.body as Memory & { ignored: string[] }
    expect(ignored).toEqual(['unheard'])
    expect(memory).toEqual({
      ...said,
      content: 'Reports go out as PDF.',
      id: expect.any(Number),
      superseded_by: null,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      updated_at: null,
      hit_count: 0,
      last_hit_at: null,
      disabled: false,
      source_session: '',
    })
    expect(await read(memory.id)).toEqual(memory)
    expect((await list()).items[0]).toEqual(memory)
    const off = await world().rest<Memory>('PATCH', `${ALL}/${memory.id}`, { body: { disabled: true } })
    expect(off).toMatchObject({ status: 200, body: { disabled: true, updated_at: expect.any(String) } })
    expect((await world().rest('DELETE', `${ALL}/${memory.id}`)).body).toEqual({ ok: true })
    for (const id of [memory.id, 0, 'nothing', '99999999999999999999'])
      expect(await world().rest('GET', `${ALL}/${id}`)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect((await world().rest('DELETE', `${ALL}/${memory.id}`)).status).toBe(404)
  })

  test.each(ROUTES)('[W11.4] %s %s without a credential, or with one that has expired, is 401', async (...route) => {
    const [method, path, body] = route
    const { id } = await keep()
    for (const token of [null, world().expiredToken])
      expect((await world().rest(method, path.replace('{id}', String(id)), { body, token })).status).toBe(401)
    expect(await read(id)).toMatchObject({ disabled: false, updated_at: null })
  })

  test.each(ROUTES.filter(([, path]) => path === ONE))('[W11.4] %s %s of somebody else is 404', async (...route) => {
    const [method, path, body] = route
    const { id } = await keep()
    const token = world().strangersKey
    const answer = await world().rest(method, path.replace('{id}', String(id)), { body, token })
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect(await read(id)).toMatchObject({ disabled: false, updated_at: null })
  })

  test('[W11.4] nobody lists, merges with or changes in a batch what belongs to somebody else', async () => {
    const mine = await keep({ content: 'Only I know this' })
    const token = world().strangersKey
    expect((await list('?keyword=know', token)).total).toBe(0)
    const theirs = await world().rest<Memory>('POST', ALL, { body: { content: 'Only I know this' }, token })
    expect([theirs.status, theirs.body.id === mine.id]).toEqual([201, false])
    for (const action of ['disable', 'delete'])
      expect(
        (await world().rest('POST', `${ALL}/batch`, { body: { action, ids: [mine.id, theirs.body.id] }, token })).body,
      ).toEqual({ ok: true, count: 1 })
    expect(await read(mine.id)).toMatchObject({ disabled: false })
  })

  test.each(INVALID)('[W11.4] [WR-60] %s %s with %j is 422 with a text', async (method, path, body) => {
    const { id } = await keep()
    const answer = await world().rest(method, path.replace('{id}', String(id)), { body })
    expect(answer).toMatchObject({ status: 422, body: { detail: expect.any(String), code: 'invalid_payload' } })
    expect(await read(id)).toMatchObject({ disabled: false, updated_at: null })
  })

  test('[W11.4] [WR-70] in a change null leaves a field, an empty text clears it, and the content never', async () => {
    const labels = { skill_name: 's', scope: 'c', owner: 'o', topic: 't', mem0_id: 'm', write_reason: 'w' }
    const { id, content } = await keep({ ...labels, record_type: 'memory' })
    const put = (body: object) => world().rest<Memory>('PUT', `${ALL}/${id}`, { body })
    expect((await put({})).body).toMatchObject({ content, ...labels, updated_at: null })
    expect((await put({ content: null, type: null, topic: null })).body).toMatchObject({ content, ...labels })
    const cleared = Object.fromEntries([...Object.keys(labels), 'record_type'].map((name) => [name, '']))
    const nothing = Object.fromEntries(Object.keys(cleared).map((name) => [name, null]))
    expect((await put(cleared)).body).toMatchObject({ content, ...nothing })
    expect((await put({ content: 'I like rivers', type: 'experience', source_session: 'sess_1' })).body).toMatchObject({
      content: 'I like rivers',
      type: 'experience',
      source_session: 'sess_1',
    })
    expect(await read(id)).toMatchObject({ content: 'I like rivers', ...nothing, updated_at: expect.any(String) })
    expect((await list('?keyword=rivers')).items.map((one) => one.id)).toEqual([id])
  })

  test('[W11.4] the list is filtered by each field and by every word of a keyword, newest first, and paged', async () => {
    const owner = `filters-${store}`
    const first = await keep({ owner, content: '我喜欢吃 NOODLES 100%', topic: 'food', scope: 'home' })
    const second = await keep({ owner, content: 'Ärger mit dem Zug', type: 'experience', skill_name: 'rail' })
    const third = await keep({ owner, content: 'A comment', record_type: 'skill_comment' })
    await world().rest('PATCH', `${ALL}/${third.id}`, { body: { disabled: true } })
    const ids = async (query: string) => (await list(`?owner=${owner}&${query}`)).items.map(({ id }) => id)
    expect(await ids('')).toEqual([third.id, second.id, first.id])
    expect(await ids('limit=1&offset=1')).toEqual([second.id])
    expect((await list(`?owner=${owner}&limit=1`)).total).toBe(3)
    const cases: [string, Memory[]][] = [
      ['keyword=noodles', [first]],
      ['keyword=%E5%96%9C%E6%AC%A2', [first]],
      ['keyword=noodles%20%E5%96%9C%E6%AC%A2', [first]],
      ['keyword=noodles%20zug', []],
      ['keyword=%C3%84RGER', [second]],
      ['keyword=100%25', [first]],
      ['keyword=%25', [first]],
      ['keyword=_', []],
      ['topic=food', [first]],
      ['scope=home', [first]],
      ['type=experience', [second]],
      ['skill_name=rail', [second]],
      ['record_type=skill_comment', [third]],
      ['status=disabled', [third]],
      ['status=active', [second, first]],
      ['status=superseded', []],
    ]
    for (const [query, found] of cases) expect([query, await ids(query)]).toEqual([query, found.map(({ id }) => id)])
  })

  test('[W11.4] a batch counts what it really changed', async () => {
    const ids = [(await keep()).id, (await keep()).id]
    const batch = async (action: string, wanted: number[]) =>
      (await world().rest<{ count: number }>('POST', `${ALL}/batch`, { body: { action, ids: wanted } })).body
    expect(await batch('disable', [...ids, ...ids, 987_654_321])).toEqual({ ok: true, count: 2 })
    expect(await batch('disable', ids)).toEqual({ ok: true, count: 0 })
    expect(await batch('enable', [ids[0]!])).toEqual({ ok: true, count: 1 })
    expect(await batch('delete', ids)).toEqual({ ok: true, count: 2 })
    expect(await batch('delete', ids)).toEqual({ ok: true, count: 0 })
  })

  test('what is said a second time is one memory, also from many sides at once; about something else it is another', async () => {
    const said = ['I read at NIGHT', 'I read at night.', '  i read at night!! ', 'Please remember that I read at night']
    const answers = await Promise.all(
      said.map((content) => world().rest<Memory>('POST', ALL, { body: { content, topic: 'reading' } })),
    )
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    const { id } = answers[0]!.body
    await world().rest('PATCH', `${ALL}/${id}`, { body: { disabled: true } })
    // Said again, it is wanted again.
    expect(await keep({ content: 'I read at night' })).toMatchObject({ id, topic: 'reading', disabled: false })
    expect((await keep({ content: 'I read at night', skill_name: 'library' })).id).not.toBe(id)
    const other = await keep({ content: 'I read at noon' })
    const clash = await world().rest('PUT', `${ALL}/${other.id}`, { body: { content: 'I read at night' } })
    expect(clash).toMatchObject({
      status: 409,
      body: { code: 'already_exists', detail: expect.stringContaining(String(id)) },
    })
  })

  test.each([
    ['My favourite colour is blue', 'My favorite color is dark green.'],
    ['I live in Hamburg', 'I moved to Lisbon'],
    ['The standup is at 9:00', 'The standup moved to 9:45'],
    ['我最喜欢的水果是苹果', '我最喜欢的水果是芒果'],
    ['我住在杭州', '记住：我现在住在成都'],
    ['每周例会改到周三', '每周例会改到周五下午'],
  ])('“%s” is replaced by “%s”, stays readable, and is not merged with again', async (before, after) => {
    const scope = `claims-${before}`
    const first = await keep({ content: before, scope })
    const second = await keep({ content: after, scope })
    expect(await read(first.id)).toMatchObject({ superseded_by: second.id, content: before })
    expect((await list(`?scope=${encodeURIComponent(scope)}&status=superseded`)).items).toMatchObject([
      { id: first.id },
    ])
    const third = await keep({ content: before, scope })
    expect([first.id, second.id]).not.toContain(third.id)
    expect(await read(second.id)).toMatchObject({ superseded_by: third.id })
  })

  test.each([
    ['My dog is called Biscuit', 'My dog is three years old'],
    ['I like tea', 'I like coffee'],
    ['我喜欢爬山', '我喜欢游泳'],
    ['My colleague is Tom', 'My colleague is Ann'],
    ['Invoice 12 is paid', 'Invoice 13 is paid'],
    ['I live in Hamburg. My phone is a Pixel.', 'I live in Bremen'],
  ])('“%s” and “%s” may both be true', async (before, after) => {
    const scope = `both-${before}`
    const first = await keep({ content: before, scope })
    await keep({ content: after, scope })
    expect(await read(first.id)).toMatchObject({ superseded_by: null })
  })

  test('a visitor’s memories are theirs; the account reads and deletes them by naming the visitor', async () => {
    const anna = (await mint(world(), 'anna')).token
    const ben = (await mint(world(), 'ben')).token
    const hers = await keep({ content: 'I collect stamps' }, anna)
    expect((await list('', ben)).total).toBe(0)
    expect((await list('?keyword=stamps')).total).toBe(0)
    expect((await list('?subject=anna')).items).toMatchObject([{ id: hers.id }])
    expect((await world().rest('DELETE', `${ALL}/${hers.id}?subject=ben`)).status).toBe(404)
    expect((await world().rest('DELETE', `${ALL}/${hers.id}?subject=anna`)).status).toBe(200)
    expect((await list('', anna)).total).toBe(0)
  })

  test('one user has at most a thousand; taking another’s place needs no room', async () => {
    const { token, user_id } = await mint(world(), 'collector')
    await world().stop()
    await fill(user_id, MAX_MEMORIES - 1)
    await world().start()
    const post = (content: string) => world().rest('POST', ALL, { body: { content }, token })
    expect((await post('My name is Ann')).status).toBe(201)
    expect(await post('One too many')).toMatchObject({ status: 422, body: { limit: MAX_MEMORIES } })
    expect((await post('My name is Anna')).status).toBe(201)
    expect((await list('?status=superseded', token)).total).toBe(1)
  })
})
