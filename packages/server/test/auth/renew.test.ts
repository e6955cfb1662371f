import { describe, expect, test } from 'vitest'
import { sharedWorld, STORES } from '../wire/world.ts'
import { mint } from './visitors.ts'

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)

  test('a token renewed in the middle of an answer breaks nothing: the same socket, no gap, no second start', async () => {
    const words = Array.from({ length: 60 }, (_, index) => `word${index} `)
    world().learn({ 'count up': [{ text: words.join(''), chunkDelayMs: 15 }] })
    const first = await mint(world(), 'anna')
    const session_id = await world().newSession({}, first.token)
    await using chat = await world().chat({ token: first.token, session_id })
    const socketId = chat.client.socket.id
    expect(chat.received[0]).toMatchObject({
      name: 'auth:expires',
      payload: { expires_at: first.expires_at, expires_in_ms: expect.any(Number) },
    })
    const ack = await chat.send('count up')
    await chat.until('turn:patch')
    const second = await mint(world(), 'anna')
    const renewed = await chat.client.ask('auth:renew', { token: second.token })
    expect(renewed).toMatchObject({ status: 'ok', expires_at: second.expires_at })
    // What it came with is over now; what it has is not.
    expect((await world().rest('DELETE', `/api/auth/tokens/${first.id}`)).status).toBe(204)
    const { end } = await chat.ended(ack)
    expect(end).toMatchObject({ status: 'completed' })
    expect([chat.client.socket.connected, chat.client.socket.id]).toEqual([true, socketId])
    expect(chat.client.names().filter((name) => ['chat:start', '(disconnect)', 'system:error'].includes(name))).toEqual(
      ['chat:start'],
    )
    const numbers = chat.received.flatMap(({ payload }) => (payload['event_seq'] as number | undefined) ?? [])
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
    expect(JSON.stringify(chat.fold().turns.at(-1))).toContain(words.join('').trimEnd())
    // And the newer one ends it in its turn.
    await world().rest('DELETE', `/api/auth/tokens/${second.id}`)
    await chat.until('(disconnect)')
  })

  test('a token that is bad, somebody else’s, or good for less renews nothing and costs nothing', async () => {
    const mine = await mint(world(), 'ben', { scopes: ['chat', 'files'] })
    const less = await mint(world(), 'ben', { scopes: ['files'] })
    const other = await mint(world(), 'carla')
    await using client = await world().connect({ token: mine.token })
    for (const [token, code] of [
      ['visitor-000000000000000000000000_0000000000000000000000000000000000000000000', 'unauthorized'],
      [other.token, 'forbidden'],
      [less.token, 'forbidden'],
    ])
      expect(await client.ask('auth:renew', { token })).toMatchObject({ status: 'error', code })
    for (const payload of [undefined, null, 7, {}, { token: '' }, { token: 7 }, { token: mine.token, more: 1 }])
      expect(await client.ask('auth:renew', payload)).toMatchObject({ status: 'error', code: 'invalid_payload' })
    expect(client.names()).toEqual(['auth:expires'])
    const session_id = await world().newSession({}, mine.token)
    expect(await client.ask('session:subscribe', { session_id })).toMatchObject({ status: 'ok' })
    await world().rest('DELETE', `/api/auth/tokens/${mine.id}`)
    await client.until('(disconnect)')
  })

  test('whoever has a key is told nothing new', async () => {
    await using client = await world().connect()
    await client.ask('session:subscribe', { session_id: await world().newSession() })
    expect(client.names()).toEqual([])
  })
})
