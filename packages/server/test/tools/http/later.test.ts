import { request } from 'node:http'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { STORES } from '../../wire/world.ts'
import { signedHeaders } from '../../../src/tools/http/signature.ts'
import { callBack, later, SECRET } from './receiver.ts'
import { Rig } from './rig.ts'

// A backend that answers 202 and brings the result by a call of its own.

describe.each(STORES)('on %s', (store) => {
  let rig: Rig

  beforeAll(async () => {
    const other = { secret: 'another secret, of another tool' }
    rig = await Rig.open(
      { later: {}, quick: {}, early: {}, other, late: { laterMs: 500 }, both: {}, kept: {} },
      { store },
    )
    for (const name of ['later', 'late', 'other', 'kept']) rig.receiver.replies[name] = later
  })
  afterAll(() => rig?.[Symbol.asyncDispose]())

  /** A call that is out, and where it is called back. */
  async function out(name = 'later') {
    const count = rig.receiver.of(name).length
    const begun = await rig.begin(name)
    const { body } = await rig.receiver.until(name, count + 1)
    return { ...begun, call_id: body.call_id, url: body.callback_url }
  }

  test('[W12.11.5] the call back is the result, and the run goes on with it', async () => {
    await using begun = await out()
    expect(await callBack(begun.url, { result: { order: 7 } })).toEqual({ status: 204 })
    await begun.end()
    expect(begun.call()).toMatchObject({ status: 'done', result: { order: 7 } })
    expect(rig.world.requests(begun.question).at(-1)!.results).toEqual(['{"order":7}'])
  })

  test('[W12.11.5] so is an error', async () => {
    await using begun = await out()
    expect(await callBack(begun.url, { error: 'Sold out.' })).toEqual({ status: 204 })
    await begun.end()
    expect(begun.call()).toMatchObject({ status: 'error', result: 'Sold out.' })
  })

  test('[W12.11.5] the first counts: the same again is as good, another is told', async () => {
    await using begun = await out()
    const [one, two] = await Promise.all([
      callBack(begun.url, { result: 'one' }),
      callBack(begun.url, { result: 'two' }),
    ])
    expect(new Set([one.status, two.status])).toEqual(new Set([204, 409]))
    await begun.end()
    const won = one.status === 204 ? 'one' : 'two'
    expect(begun.call()).toMatchObject({ status: 'done', result: won })
    expect(await callBack(begun.url, { result: won })).toEqual({ status: 204 })
    expect(await callBack(begun.url, ` { "result" : "${won}" } `)).toEqual({ status: 204 })
    expect(await callBack(begun.url, { result: 'three' })).toEqual({ status: 409, code: 'already_decided' })
    expect(await callBack(begun.url, { error: won })).toEqual({ status: 409, code: 'already_decided' })
  })

  test('[W12.11.5] a backend may call back before it has answered', async () => {
    rig.receiver.replies['early'] = async (response, { body }) => {
      expect(await callBack(body.callback_url, { result: 'early' })).toEqual({ status: 204 })
      void later(response, rig.receiver.posted[0]!)
    }
    expect(await rig.call('early')).toMatchObject({ status: 'done', result: 'early' })
    rig.receiver.replies['both'] = async (response, { body }) => {
      await callBack(body.callback_url, { result: 'called back' })
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"result":"answered"}')
    }
    expect(await rig.call('both')).toMatchObject({ status: 'done', result: 'answered' })
  })

  test('[W12.11.5] nobody waits for longer than laterMs, and what comes then is refused', async () => {
    await using begun = await out('late')
    await begun.end()
    expect(begun.call()).toMatchObject({
      status: 'error',
      result:
        'The backend of late accepted the call and sent no result within 500 ms; whether it took effect is unknown.',
    })
    expect(await callBack(begun.url, { result: 1 })).toEqual({ status: 409, code: 'not_running' })
  })

  test('[W12.11.5] a call that was answered at once, or stopped, takes no call back', async () => {
    await using quick = await rig.begin('quick')
    await quick.end()
    const { callback_url } = rig.receiver.of('quick').at(-1)!.body
    expect(await callBack(callback_url, { result: 1 })).toEqual({ status: 409, code: 'not_running' })
    await using stopped = await out()
    await stopped.chat.stop()
    await stopped.end()
    expect(stopped.call()).toMatchObject({ status: 'cancelled' })
    expect(await callBack(stopped.url, { result: 1 })).toEqual({ status: 409, code: 'not_running' })
  })

  test('[W12.11.5] a session takes its calls along', async () => {
    await using begun = await out()
    expect((await rig.world.rest('DELETE', `/api/sessions/${begun.session_id}`)).status).toBe(200)
    expect(await callBack(begun.url, { result: 1 })).toEqual({ status: 401, code: 'unauthorized' })
  })

  test('[W12.11.5] whoever is not the backend of this very call hears one and the same 401', async () => {
    await using begun = await out()
    await using foreign = await out('other')
    const now = Math.floor(Date.now() / 1_000)
    const body = { result: 'mine' }
    const tries: [string, object][] = [
      ['another secret', { secret: 'another secret, of another tool' }],
      ['no headers', { headers: { 'webhook-id': undefined, 'webhook-signature': undefined } }],
      ['no signature', { headers: { 'webhook-signature': undefined } }],
      ['an empty one', { headers: { 'webhook-signature': '' } }],
      ['no time', { headers: { 'webhook-timestamp': undefined } }],
      ['a time that is none', { headers: { 'webhook-timestamp': 'now' } }],
      ['an old signature', { seconds: now - 301 }],
      ['one from the future', { seconds: now + 310 }],
      ['the signature of another call', { id: foreign.call_id }],
      ['its headers, with our id', { id: foreign.call_id, headers: { 'webhook-id': begun.call_id } }],
    ]
    for (const [what, given] of tries)
      expect([what, await callBack(begun.url, body, given)]).toEqual([what, { status: 401, code: 'unauthorized' }])
    const nowhere = begun.url.replace(begun.call_id, 'tc_0123456789abcdef01234567')
    expect(await callBack(nowhere, body)).toEqual({ status: 401, code: 'unauthorized' })
    // What we sent is signed with the same secret, and is yet no answer.
    const { text, headers } = rig.receiver.posted.find((one) => one.body.call_id === begun.call_id)!
    const reflected = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('webhook-')))
    const reply = await fetch(begun.url, {
      method: 'POST',
      headers: { ...(reflected as Record<string, string>), 'content-type': 'application/json' },
      body: text,
    })
    expect(reply.status).toBe(422)
    expect(await callBack(begun.url, body, { seconds: now - 290 })).toEqual({ status: 204 })
    await begun.end()
    expect(begun.call()).toMatchObject({ status: 'done', result: 'mine' })
    await foreign.chat.stop()
    await foreign.end()
  })

  test('[W12.11.5] bad tries are limited, and keep out nobody who has the secret', async () => {
    await using begun = await out()
    const statuses = []
    for (let n = 0; n < 30; n++) statuses.push((await callBack(begun.url, {}, { secret: 'guessed, and wrong' })).status)
    expect(statuses.at(-1)).toBe(429)
    expect(await callBack(begun.url, { result: 'let in' })).toEqual({ status: 204 })
    await begun.end()
  })

  test('[W12.11.5] whoever signs badly too often is not read a large body, and keeps out nobody who brings a small one', async () => {
    await using begun = await out()
    const large = { result: 'x'.repeat(20_000) }
    const statuses = []
    for (let n = 0; n < 30; n++)
      statuses.push((await callBack(begun.url, large, { secret: 'guessed, and wrong' })).status)
    expect(statuses.at(-1)).toBe(429)
    const now = Math.floor(Date.now() / 1_000)
    for (const length of [{ 'content-length': String(1024 * 1024) }, { 'transfer-encoding': 'chunked' }]) {
      const sent = request(begun.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...signedHeaders(SECRET, { id: begun.call_id, seconds: now, body: '{}' }),
          ...length,
        },
      })
      sent.on('error', () => undefined)
      sent.write('{')
      // Nothing more of it comes: who waited for all of it would not answer.
      const [reply] = (await once(sent, 'response')) as [{ statusCode: number; headers: Record<string, string> }]
      expect([reply.statusCode, reply.headers['connection']]).toEqual([429, 'close'])
      expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
      sent.destroy()
    }
    expect(await callBack(begun.url, { result: 'let in' })).toEqual({ status: 204 })
    await begun.end()
  })

  test('[W0] a call back names no ignored fields: its body is bytes, and no list of them', async () => {
    await using begun = await out('kept')
    const body = JSON.stringify({ result: 'x'.repeat(1024 * 1024 - 20) })
    const headers = signedHeaders(SECRET, { id: begun.call_id, seconds: Math.floor(Date.now() / 1_000), body })
    const reply = await fetch(begun.url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    })
    expect([reply.status, reply.headers.get('parley-ignored')]).toEqual([204, null])
    expect(rig.world.warnings.filter((line) => line.includes('was ignored'))).toEqual([])
    await begun.end()
  })

  test('[W12.11.5] a body is refused by what is wrong with it, and the call goes on waiting', async () => {
    await using begun = await out()
    const refused: [unknown, number][] = [
      [{}, 422],
      ['', 422],
      ['{"result": oops}', 422],
      [{ result: 1, error: 'x' }, 422],
      [{ result: 1, status: 'done' }, 422],
      [{ error: 7 }, 422],
      [`{"result":${'['.repeat(200)}${']'.repeat(200)}}`, 422],
      [{ result: 'x'.repeat(1024 * 1024) }, 413],
    ]
    for (const [body, status] of refused) expect((await callBack(begun.url, body)).status).toBe(status)
    expect(await callBack(begun.url, { result: 'x'.repeat(1024 * 1024 - 20) })).toEqual({ status: 204 })
    await begun.end()
    expect(begun.call().result).toMatch(/characters left out/)
  })

  test('[D7] no body is read of somebody who does not know a call: a stranger’s megabyte is not waited for', async () => {
    const sent = request(`${rig.world.url}/api/tool-calls/tc_nothing/result`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': String(1024 * 1024) },
    })
    sent.on('error', () => undefined)
    sent.write('{')
    const [reply] = (await once(sent, 'response')) as [{ statusCode: number; headers: Record<string, string> }]
    expect([401, 429]).toContain(reply.statusCode)
    expect(reply.headers['connection']).toBe('close')
    sent.destroy()
  })
})

test('[W12.11.5] a call back may reach any instance; of two at once on two of them one wins', async () => {
  await using rig = await Rig.open({ later: {} }, { store: 'postgres' })
  rig.receiver.replies['later'] = later
  const elsewhere = await rig.beside()
  await using begun = await rig.begin('later')
  const { body } = await rig.receiver.until('later')
  const there = body.callback_url.replace(rig.world.url, elsewhere)
  expect(there).not.toBe(body.callback_url)
  const [one, two] = await Promise.all([
    callBack(body.callback_url, { result: 'here' }),
    callBack(there, { result: 'there' }),
  ])
  expect(new Set([one.status, two.status])).toEqual(new Set([204, 409]))
  await begun.end()
  expect(begun.call()).toMatchObject({ status: 'done', result: one.status === 204 ? 'here' : 'there' })
  await using second = await rig.begin('later')
  const { call_id } = (await rig.receiver.until('later', 2)).body
  const from = performance.now()
  expect(await callBack(`${elsewhere}/api/tool-calls/${call_id}/result`, { result: 'told' })).toEqual({ status: 204 })
  await second.end()
  // By a hint: the owner's own look would come up to two seconds later.
  expect(performance.now() - from).toBeLessThan(1_500)
})

test('[W12.11.6] a server that stops leaves a call that was accepted to the next one, whatever its replay', async () => {
  await using rig = await Rig.open({ later: {}, never: { timeoutMs: 60_000 } })
  rig.receiver.replies['later'] = later
  rig.receiver.replies['never'] = () => undefined
  await using begun = await rig.begin('later')
  await using cut = await rig.begin('never')
  const { call_id } = (await rig.receiver.until('later')).body
  await rig.receiver.until('never')
  for (let restart = 0; restart < 4; restart++) {
    await rig.world.stop()
    await rig.world.start()
  }
  expect(await callBack(`${rig.world.url}/api/tool-calls/${call_id}/result`, { result: 'after all' })).toEqual({
    status: 204,
  })
  const callsOf = async (id: string) => (await rig.world.messages(id)).flatMap(({ tool_calls }) => tool_calls)
  await expect.poll(async () => (await rig.world.session(begun.session_id)).status).toBe('completed')
  expect(await callsOf(begun.session_id)).toMatchObject([{ status: 'done', result: 'after all' }])
  expect(await callsOf(cut.session_id)).toMatchObject([
    { status: 'error', result: 'stopped by shutdown; effects may be partial' },
  ])
  expect(rig.receiver.of('later')).toHaveLength(1)
  expect(rig.receiver.of('never')).toHaveLength(1)
})
