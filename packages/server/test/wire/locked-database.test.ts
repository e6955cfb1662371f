import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { textOf } from '@parley/protocol'
import { expect, test } from 'vitest'
import { sharedWorld, World } from './world.ts'

/** Longer than a lock is waited for, and than a lease. */
const LONG_MS = 60_000
const WORDS = Array.from({ length: 100 }, (_, index) => `word${index}`).join(' ')

const world = sharedWorld('sqlite', { leaseMs: 3_000 })

test('a request waits for a short lock, and the server goes on meanwhile', async () => {
  world().learn({ waits: [{ text: 'Patience.' }] })
  await using chat = await world().chat()
  const lock = lockedByAnother()
  let isAnswered = false
  const sent = chat.send('waits').finally(() => (isAnswered = true))
  // Answered by the same thread: one that waited for the lock would answer neither.
  expect(await world().rest('GET', '/api/health')).toMatchObject({ status: 503, body: { status: 'storage_locked' } })
  expect(await chat.messages()).toEqual([])
  expect(isAnswered).toBe(false)
  lock[Symbol.dispose]()
  const run = await chat.ended(await sent)
  expect(run.end.status).toBe('completed')
  expect(await world().rest('GET', '/api/health')).toMatchObject({ status: 200, body: { status: 'ok' } })
})

test('a run goes on after a short lock as if nothing had been', async () => {
  world().learn({ 'short lock': [{ text: WORDS, chunkDelayMs: 10 }] })
  await using chat = await world().chat()
  const ack = await chat.send('short lock')
  await chat.until('turn:patch')
  {
    using _lock = lockedByAnother()
    expect(await world().rest('GET', '/api/health')).toMatchObject({ body: { status: 'storage_locked' } })
  }
  const { end, events } = await chat.ended(ack)
  expect(end.status).toBe('completed')
  expect(events.filter(({ name }) => name === 'system:notification')).toEqual([])
  expect(textOf((await chat.messages()).at(-1)!)).toBe(WORDS)
})

test(
  'after a long lock requests have been told why, nothing accepted is lost, and the run is carried on',
  async () => {
    world().learn({ 'long lock': [{ text: WORDS, chunkDelayMs: 10 }] })
    await using chat = await world().chat()
    await using other = await world().chat()
    const ack = await chat.send('long lock')
    await chat.until('turn:patch')
    {
      using _lock = lockedByAnother()
      const [socket, rest] = await Promise.all([
        other.send('never heard'),
        world().rest('POST', '/api/sessions', { body: {} }),
      ])
      expect(rest).toMatchObject({ status: 503, body: { code: 'storage_locked' } })
      expect(rest.body['detail']).not.toContain(world().dataDir)
      expect(socket).toMatchObject({ status: 'error', code: 'storage_locked' })
      // As long again: by then the run has lost its lease, too.
      expect(await world().rest('POST', '/api/sessions', { body: {} })).toMatchObject({ status: 503 })
    }
    const { end } = await chat.ended(ack)
    expect(end.status).toBe('completed')
    expect(textOf((await chat.messages()).at(-1)!)).toBe(WORDS)
    expect(await other.messages()).toEqual([])
  },
  LONG_MS,
)

test('a server that stops while a request waits for a lock answers it, and stops', async () => {
  await using own = await World.open('sqlite', { leaseMs: 3_000 })
  const lock = lockedByAnother(own)
  const waiting = own.rest('POST', '/api/sessions', { body: {} })
  expect(await own.rest('GET', '/api/health')).toMatchObject({ body: { status: 'storage_locked' } })
  const stopped = own.stop()
  lock[Symbol.dispose]()
  const { status, headers } = await waiting
  expect([status, headers.get('connection')]).toEqual([200, 'close'])
  await stopped
})

/** As a backup or a database shell does it. */
function lockedByAnother({ dataDir }: World = world()): Disposable {
  const database = new DatabaseSync(join(dataDir, 'parley.sqlite'), { timeout: 5_000 })
  database.exec('BEGIN EXCLUSIVE')
  return {
    [Symbol.dispose]() {
      if (database.isOpen) database.close()
    },
  }
}
