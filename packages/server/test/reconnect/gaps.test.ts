import { startTcpProxy } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { connectClient } from '../face/client.ts'
import { OWNER_KEY, STORES, World } from '../wire/world.ts'

describe.each(STORES)('on %s', (store) => {
  test('[W10.15] [W6] with since, a client gets exactly what it missed, also over a restart of the server', async () => {
    await using world = await World.open(store)
    world.learn({ 'before and after': [{ text: 'Some words to miss.', chunkDelayMs: 5 }] })
    const first = await world.chat()
    const run = await first.run('before and after')
    await first[Symbol.asyncDispose]()
    await world.stop()
    await world.start()
    await using client = await world.connect()
    const { session_id } = first
    const since = run.events[3]!.payload['event_seq'] as number
    const ack = await client.ask('session:subscribe', { session_id, since })
    expect(ack).toMatchObject({ status: 'ok', replayed: true, run_id: null })
    const numbers = run.events.map(({ payload }) => payload['event_seq'])
    expect(client.received.map(({ payload }) => payload['event_seq'])).toEqual(numbers.slice(4))
  })

  test('[W10.15] a since that the server never reached is not honoured: nothing is sent, REST has it all', async () => {
    await using world = await World.open(store)
    world.learn({ future: [{ text: 'Not yet.' }] })
    await using chat = await world.chat()
    await chat.run('future')
    await using client = await world.connect()
    const ack = await client.ask('session:subscribe', { session_id: chat.session_id, since: 1_000_000 })
    expect(ack).toMatchObject({ status: 'ok', replayed: false, session: { status: 'completed' } })
    expect(client.received).toEqual([])
  })
})

test('[W10.15] a run goes on with no subscriber at all, and is whole when somebody comes back', async () => {
  await using world = await World.open()
  world.learn({ lonely: [{ calls: [{ name: 'Work', arguments: { name: 'alone' } }] }, { text: 'Nobody saw this.' }] })
  const chat = await world.chat()
  await chat.send('lonely')
  await world.gates.reached('alone')
  await chat[Symbol.asyncDispose]()
  world.gates.open('alone')
  await expect.poll(async () => (await world.session(chat.session_id)).status).toBe('completed')
  const turns = await world.messages(chat.session_id)
  expect(turns.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed'])
})

test('[W10.15] [W5.3] a chat:send whose acknowledgement was lost is repeated with its id and runs once', async () => {
  await using world = await World.open()
  world.learn({ 'say it once': [{ text: 'Once.' }] })
  const session_id = await world.newSession()
  const target = new URL(world.url)
  await using proxy = await startTcpProxy({ host: target.hostname, port: Number(target.port) })
  const connect = () =>
    // Only over polling can the proxy read what passes.
    connectClient(`http://127.0.0.1:${proxy.port}`, { token: OWNER_KEY, transports: ['polling'] })
  const command = { session_id, message: 'say it once', client_message_id: 'm1' }
  const first = await connect()
  const swallowed = proxy.swallowAnswerTo('chat:send')
  first.socket.emit('chat:send', command)
  await swallowed
  first.socket.disconnect()

  await using second = await connect()
  const ack = await second.ask('chat:send', command)
  expect(ack).toMatchObject({ status: 'ok', session_id })
  await expect.poll(async () => (await world.session(session_id)).status).toBe('completed')
  expect(await world.messages(session_id)).toHaveLength(2)
  expect(world.requests('say it once')).toHaveLength(1)
})
