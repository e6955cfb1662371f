import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../crash/arena.ts'
import { mint } from '../../auth/visitors.ts'
import { json, Receiver, type Reply } from './receiver.ts'
import { Rig } from './rig.ts'

// One call of a tool in a backend, from the model's wire to the backend's and back.

let rig: Rig
const short = { timeoutMs: 1_000 }

beforeAll(async () => {
  const closedPort = await freePort()
  rig = await Rig.open({
    plain: { schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } },
    sorry: {},
    odd: {},
    hostile: { timeoutMs: 30_000 },
    silent: short,
    fickle: { replay: 'safe', timeoutMs: 10_000 },
    keyed: { replay: 'keyed', timeoutMs: 10_000 },
    once: short,
    slow: {},
    down: { url: `http://127.0.0.1:${closedPort}/` },
    forbidden: { url: 'http://127.0.0.1:25/' },
    named: { display_name: { zh: '下单', en: 'Place an order' }, risk: 'low', readOnly: true, replay: 'keyed' },
  })
})
afterAll(() => rig?.[Symbol.asyncDispose]())

test('[W12.11.2] a call is one signed POST with its id as the key, its session, its visitor and its arguments', async () => {
  const { token } = await mint(rig.world, 'anna')
  await using begun = await rig.begin('plain', { text: 'hello' }, token)
  await begun.end()
  expect(begun.call()).toMatchObject({ status: 'done', result: 'did plain' })
  const { headers, body, isSigned } = rig.receiver.of('plain').at(-1)!
  expect(isSigned).toBe(true)
  expect(headers).toMatchObject({ 'webhook-id': body.call_id, 'content-type': 'application/json' })
  expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1_000)).toBeLessThan(10)
  expect(body).toEqual({
    call_id: begun.call().id,
    session_id: begun.session_id,
    subject: 'anna',
    tool: 'plain',
    arguments: { text: 'hello' },
    attempt: 1,
    callback_url: `${rig.world.url}/api/tool-calls/${body.call_id}/result`,
  })
  await rig.call('plain', { text: 'mine' })
  expect(rig.receiver.of('plain').at(-1)!.body.subject).toBeNull()
})

test('[W12.11.2] arguments that do not fit the schema never reach the backend', async () => {
  const before = rig.receiver.of('plain').length
  expect(await rig.call('plain', { text: 7 })).toMatchObject({
    status: 'error',
    result: expect.stringMatching(/plain was called with arguments that do not fit. .*text must be string/),
  })
  expect(rig.receiver.of('plain')).toHaveLength(before)
})

test('[W12.11.3] an error is a sentence for the model, and its run goes on', async () => {
  rig.receiver.replies['sorry'] = json({ error: 'There is no such order.' })
  await using begun = await rig.begin('sorry')
  await begun.end()
  expect(begun.call()).toMatchObject({ status: 'error', result: 'There is no such order.' })
  expect(rig.world.requests(begun.question).at(-1)!.results).toEqual(['There is no such order.'])
})

test.each<[string, unknown, string]>([
  ['a result of any shape', { result: { lines: [1, null, { a: 'ä' }] } }, '{"lines":[1,null,{"a":"ä"}]}'],
  ['a result that is nothing', { result: null }, 'null'],
  ['a field that nobody knows is ignored', { result: 'fine', took_ms: 3 }, '"fine"'],
])('[W12.11.3] %s', async (_what, body, result) => {
  rig.receiver.replies['odd'] = json(body)
  const call = await rig.call('odd')
  expect(call.status).toBe('done')
  expect(JSON.stringify(call.result)).toBe(result)
})

test('[W12.11.3] a field of an answer that nobody reads is named in the log', () => {
  expect(rig.world.warnings.filter((line) => line.includes('took_ms'))).toHaveLength(1)
})

test('[W12.11.3] a long result is cut for the model as those of other tools are', async () => {
  rig.receiver.replies['odd'] = json({ result: 'x'.repeat(300_000) })
  expect((await rig.call('odd')).result).toMatch(/^x+\n\[… 200000 characters left out …\]\nx+$/)
})

const drip: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 20)
  response.on('close', () => clearInterval(timer))
}
const endless: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const more = () => {
    while (!response.destroyed && response.write(' '.repeat(65_536)));
  }
  response.on('drain', more)
  more()
}
const deep = `{"result":${'['.repeat(5_000)}${']'.repeat(5_000)}}`
const text =
  (body: string, kind = 'application/json', status = 200): Reply =>
  (response) =>
    void response.writeHead(status, { 'content-type': kind }).end(body)

describe('[W12.11.3] whatever a backend does, its own call fails with a sentence that says it', () => {
  test.each<[string, Reply, RegExp]>([
    ['an endless body', endless, /more than 1048576 bytes; nothing of it was used/],
    ['50 MB', text(`{"result":"${'x'.repeat(50_000_000)}"}`), /more than 1048576 bytes/],
    ['a slow body', drip, /did not answer within 1000 ms; whether it took effect is unknown/],
    ['silence', () => undefined, /did not answer within 1000 ms/],
    ['deep JSON', text(deep), /nests deeper than 100 levels/],
    ['no JSON', text('{"result": oops}'), /something that is no JSON/],
    [
      'another kind of text',
      text('<p>Hello</p>', 'text/html; charset=utf-8'),
      /answered with text\/html in place of JSON/,
    ],
    ['JSON that says it is text', text('{"result":1}', 'text/plain'), /text\/plain in place of JSON/],
    [
      'no type at all',
      (response) => void response.writeHead(200).end('{"result":1}'),
      /nothing that has a type in place/,
    ],
    ['neither', json({ ok: true }), /neither a result nor an error/],
    ['both', json({ result: 1, error: 'no' }), /neither a result nor an error, or with both/],
    ['an error that is no sentence', json({ error: { code: 7 } }), /neither a result nor an error/],
    ['a list', json([]), /neither a result nor an error/],
    ['a refusal', json({ error: 'secret words' }, 403), /^The backend of hostile answered with status 403\.$/],
    ['nothing', (response) => void response.writeHead(204).end(), /answered with status 204/],
    [
      'a redirect to a private address',
      json({}, 307, { location: 'http://169.254.169.254/' }),
      /answered with a redirect, which is not followed/,
    ],
    [
      'a redirect to itself',
      (response) => void response.writeHead(302, { location: '/tools' }).end(),
      /answered with a redirect/,
    ],
    [
      'a hang-up',
      (response) => void response.destroy(),
      /broke after the call was sent; whether it took effect is unknown/,
    ],
    [
      'a hang-up in the middle of its body',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"result":')
        setTimeout(() => response.destroy(), 20)
      },
      /broke after the call was sent; whether it took effect is unknown/,
    ],
    ['a failure', json({}, 500), /answered with status 500/],
  ])('%s', async (_what, reply, said) => {
    // A busy machine needs its time for all but those that use it up.
    const name = said.source.includes('1000 ms') ? 'silent' : 'hostile'
    const before = rig.receiver.of(name).length
    rig.receiver.replies[name] = reply
    const call = await rig.call(name)
    expect(call).toMatchObject({ status: 'error', result: expect.stringMatching(said) })
    expect(rig.receiver.of(name)).toHaveLength(before + 1)
    // Everybody else is served as before, and nobody is told where the backend is.
    expect(await rig.call('named')).toMatchObject({ status: 'done' })
    expect(JSON.stringify(call)).not.toMatch(/127\.0\.0\.1|secret words|whsec/)
    expect(rig.world.errors).toEqual([])
  })
})

test('[W12.11.3] operators read in the log which host it was and why', async () => {
  expect(await rig.call('down')).toMatchObject({
    status: 'error',
    result: 'The backend of down cannot be reached; nothing was done.',
  })
  expect(rig.world.warnings.join()).toMatch(
    /HTTP tool down at 127\.0\.0\.1:\d+ failed\. 127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)/,
  )
  expect(rig.world.warnings.join()).not.toContain('whsec_')
  expect(await rig.call('forbidden')).toMatchObject({ result: expect.stringContaining('nothing was done') })
})

test('[W12.11.3] visitors read it in their language', async () => {
  rig.receiver.replies['hostile'] = json({}, 500)
  const { token } = await mint(rig.world, 'ben')
  const session_id = await rig.world.newSession({}, token)
  rig.world.learn({ 'in Chinese': [{ calls: [{ name: 'hostile', arguments: {} }] }, { text: 'I see.' }] })
  await using chat = await rig.world.chat({ session_id, token, auth: { language: 'zh' } })
  await chat.run('in Chinese')
  expect(chat.fold().turns.flatMap(({ tool_calls }) => tool_calls)[0]!.result).toBe('hostile 的后端返回了状态 500。')
})

describe('[W12.11.4] a call is sent again only where its tool says that it may be', () => {
  const flaky = (...replies: Reply[]): Reply => {
    let count = 0
    return (response, posted) => (replies[count++] ?? json({ result: 'at last' }))(response, posted)
  }

  test.each<[string, Reply]>([
    ['503', json({}, 503)],
    ['429', json({}, 429, { 'retry-after': '0' })],
    ['408', json({}, 408)],
    ['425', json({}, 425)],
    ['a hang-up', (response) => void response.destroy()],
  ])('after %s, under the same id', async (_what, reply) => {
    for (const name of ['fickle', 'keyed']) {
      const before = rig.receiver.of(name).length
      rig.receiver.replies[name] = flaky(reply, reply)
      expect(await rig.call(name)).toMatchObject({ status: 'done', result: 'at last' })
      const sent = rig.receiver.of(name).slice(before)
      expect(sent.map(({ body }) => body.attempt)).toEqual([1, 2, 3])
      expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
      expect(sent.every(({ isSigned }) => isSigned)).toBe(true)
    }
  })

  test('four times at most', async () => {
    const before = rig.receiver.of('fickle').length
    rig.receiver.replies['fickle'] = json({}, 502, { 'retry-after': '0' })
    expect(await rig.call('fickle')).toMatchObject({ status: 'error', result: expect.stringContaining('status 502') })
    expect(rig.receiver.of('fickle')).toHaveLength(before + 4)
  })

  test.each([
    ['a refusal', json({}, 400)],
    ['no JSON', text('oops')],
    ['a wait that would not fit into its time', json({}, 503, { 'retry-after': '60' })],
    ['a date that is too late', json({}, 503, { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() })],
  ])('not after %s', async (_what, reply) => {
    const before = rig.receiver.of('keyed').length
    rig.receiver.replies['keyed'] = reply
    expect(await rig.call('keyed')).toMatchObject({ status: 'error' })
    expect(rig.receiver.of('keyed')).toHaveLength(before + 1)
  })

  test('what asks for time gets it', async () => {
    rig.receiver.replies['keyed'] = flaky(json({}, 503, { 'retry-after': '1' }))
    const from = performance.now()
    expect(await rig.call('keyed')).toMatchObject({ status: 'done' })
    expect(performance.now() - from).toBeGreaterThan(990)
  })

  test.each<[string, string]>([
    ['a hang-up', 'hang up'],
    ['a failure that says nothing', '500'],
  ])('a backend that is gone after %s may have done it, and nobody says that it has not', async (_what, how) => {
    await using backend = await Receiver.start()
    await using other = await Rig.open({ keyed: { url: backend.url, replay: 'keyed', timeoutMs: 10_000 } })
    backend.replies['keyed'] = (response, posted) => {
      backend.stopListening()
      if (how === '500') return json({}, 500, { connection: 'close' })(response, posted)
      response.destroy()
    }
    expect(await other.call('keyed')).toMatchObject({
      status: 'error',
      result:
        'The backend of keyed can no longer be reached; whether an earlier request of this call took effect is unknown.',
    })
    expect(backend.of('keyed')).toHaveLength(1)
  })

  test('a refusal after a hang-up says what is not known', async () => {
    rig.receiver.replies['keyed'] = flaky((response) => void response.destroy(), json({}, 409))
    expect(await rig.call('keyed')).toMatchObject({
      result:
        'Whether an earlier request for keyed took effect is unknown; after it the backend answered with status 409.',
    })
  })

  test('with never, once, whatever comes', async () => {
    rig.receiver.replies['once'] = flaky(json({}, 503))
    expect(await rig.call('once')).toMatchObject({ status: 'error', result: expect.stringContaining('status 503') })
    expect(rig.receiver.of('once')).toHaveLength(1)
  })
})

test('[W12.11.3] a stop closes the request within two seconds', async () => {
  const closed = Promise.withResolvers<void>()
  rig.receiver.replies['slow'] = (response) => void once(response, 'close').then(() => closed.resolve())
  await using begun = await rig.begin('slow')
  await rig.receiver.until('slow')
  const from = performance.now()
  await begun.chat.stop()
  await closed.promise
  expect(performance.now() - from).toBeLessThan(2_000)
  expect((await begun.end()).end).toMatchObject({ status: 'interrupted' })
  expect(begun.call()).toMatchObject({ status: 'cancelled' })
})

test('[D5] it is listed with the others, as declared and without what is nobody’s business', async () => {
  const { body } = await rig.world.rest<{ items: Record<string, unknown>[] }>('GET', '/api/tools')
  expect(body.items.find(({ name }) => name === 'named')).toEqual({
    name: 'named',
    display_name: 'Place an order',
    description: 'Does named.',
    provider: 'http',
    kind: 'http',
    policy: { decision: 'allow', by: 'risk', rule: null, exceptions: [], asks_for_hosts: false },
    used_today: expect.any(Number),
    risk: 'low',
    requires_confirmation: false,
    read_only: true,
    replay: 'keyed',
    status: 'ready',
    input: { type: 'object', properties: { text: { type: 'string' } } },
  })
  expect(JSON.stringify(body)).not.toMatch(/whsec_|\/tools"/)
})
