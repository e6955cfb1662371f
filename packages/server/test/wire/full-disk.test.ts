import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { textOf } from '@parley/protocol'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { canMount, type SmallDisk, smallDisk } from '../store/small-disk.ts'
import { OWNER_KEY, World } from './world.ts'

const LONG_MS = 20_000
const WORDS = Array.from({ length: 300 }, (_, index) => `word${index}`).join(' ')

describe.skipIf(!canMount)('a full disk (needs a user who may mount one)', () => {
  let disk: SmallDisk
  let world: World
  beforeAll(async () => {
    disk = smallDisk(6)
    // Long enough that a busy machine loses none: on a full disk nobody would take the run up again.
    world = await World.open('sqlite', { dataDir: join(disk.path, 'data'), leaseMs: 6_000 })
    world.learn({ hello: [{ text: 'Hello.' }] })
  })
  afterEach(() => disk.free())
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
    disk?.[Symbol.dispose]()
  })

  test('the sender of a message, a session, a file is told, and reading goes on; with room again all is well by itself', async () => {
    await using chat = await world.chat()
    const path = `/api/sessions/${chat.session_id}`
    expect((await chat.run('hello')).end.status).toBe('completed')
    await world.rest('PUT', `${path}/files/kept.txt`, { body: { content: 'kept' } })
    const kept = await filesOf(chat.session_id)
    const content = 'x'.repeat(20_000)
    disk.fill()

    expect(await chat.send('hello')).toMatchObject({
      status: 'error',
      code: 'storage_full',
      message: expect.stringContaining('disk'),
    })
    const refused = await Promise.all([
      world.rest('POST', '/api/sessions', { body: {} }),
      world.rest('POST', `${path}/chat`, { body: { message: 'hello' } }),
      world.rest('PATCH', path, { body: { intent: 'another name' } }),
      world.rest('PUT', `${path}/files/new.txt`, { body: { content } }),
      world.rest('PUT', `${path}/files/kept.txt`, { body: { content } }),
      world.rest('PUT', `${path}/files/a/b/c/deep.txt`, { body: { content } }),
      world.rest('POST', `${path}/chat`, { body: { message: [attachment(content)] } }),
      upload(chat.session_id, content),
    ])
    for (const { status, body } of refused) {
      expect([status, body]).toMatchObject([507, { detail: expect.stringMatching(/disk|space/), code: 'storage_full' }])
      expect(body['detail']).not.toContain(disk.path)
    }
    expect(await world.rest('GET', '/api/health')).toMatchObject({ status: 503, body: { status: 'storage_full' } })
    expect((await chat.messages()).map(textOf)).toEqual(['hello', 'Hello.'])
    expect((await world.rest('GET', `${path}/files/kept.txt`)).body).toBe('kept')

    disk.free()
    await vi.waitFor(
      async () => expect(await world.rest('GET', '/api/health')).toMatchObject({ status: 200, body: { status: 'ok' } }),
      LONG_MS,
    )
    expect(await filesOf(chat.session_id), 'nothing half-written stays').toEqual(kept)
    expect((await chat.run('hello')).end.status).toBe('completed')
  })

  test('a run whose end still fits says why it failed', async () => {
    const large = { name: 'Look', arguments: { name: 'large', padding: 'x'.repeat(300_000) } }
    world.learn({ large: [{ calls: [{ name: 'Look', arguments: { name: 'small' } }] }, { calls: [large] }] })
    await using chat = await world.chat()
    const ack = await chat.send('large')
    await world.gates.reached('small')
    await emptyLog()
    disk.fill(250_000)
    world.gates.open('small')
    const { end } = await chat.ended(ack)
    expect(end).toMatchObject({
      status: 'failed',
      error: { code: 'storage_full', message: expect.stringContaining('disk') },
    })
    expect((await chat.session()).status).toBe('failed')
  })

  test.each([
    ['in the middle of its text', { [`text`]: [{ text: WORDS, chunkDelayMs: 10 }] }],
    ['during a tool', { tool: [{ calls: [{ name: 'Look', arguments: { name: 'tool' } }] }, { text: WORDS }] }],
  ])('a run %s, of which nothing more can be stored, is carried on once there is room', async (_when, lines) => {
    const [question] = Object.keys(lines)
    world.learn(lines)
    await using chat = await world.chat()
    const ack = await chat.send(question!)
    if (question === 'tool') await world.gates.reached('tool')
    else await chat.until('turn:patch')
    disk.fill()
    world.gates.open('tool')
    await vi.waitFor(() => expect(world.errors.join()).toContain(ack.run_id), LONG_MS)
    expect((await chat.session()).status).toBe('running')
    disk.free()
    const { end } = await chat.ended(ack)
    expect(end.status).toBe('completed')
    expect(textOf((await chat.messages()).at(-1)!)).toBe(WORDS)
  })

  /** What is stored from now on needs new room: the log's own, once everything in it has been carried over, is used again. */
  async function emptyLog(): Promise<void> {
    using database = new DatabaseSync(join(world.dataDir, 'parley.sqlite'))
    const isEmptied = () => database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0
    await vi.waitFor(() => expect(isEmptied()).toBe(true), LONG_MS)
  }

  async function filesOf(session_id: string): Promise<string[]> {
    const at = join(world.dataDir, 'workspaces', session_id)
    const entries = await readdir(at, { recursive: true, withFileTypes: true })
    return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name)
  }

  async function upload(session_id: string, content: string) {
    const form = new FormData()
    form.append('files', new File([content.repeat(10)], 'big.txt'))
    const headers = { authorization: `Bearer ${OWNER_KEY}` }
    const reply = await fetch(`${world.url}/api/sessions/${session_id}/upload/`, {
      method: 'POST',
      headers,
      body: form,
    })
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }
  }
})

function attachment(content: string) {
  return { type: 'file', name: 'a.txt', data: Buffer.from(content).toString('base64') }
}
