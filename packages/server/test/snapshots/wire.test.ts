import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { withDefaults } from '../../src/config/options.ts'
import { openStore } from '../../src/open-store.ts'
import { Snapshots } from '../../src/snapshots/snapshots.ts'
import { Workspaces } from '../../src/workspace/workspaces.ts'
import { OWNER_KEY, STORES, World } from '../wire/world.ts'
import { lookAt, never } from './site.ts'

const write = (file_path: string, content: string) => ({ name: 'Write', arguments: { file_path, content } })
const read = (file_path: string) => ({ name: 'Read', arguments: { file_path } })

/** What the server has kept, once it has stopped. */
async function stopped(world: World) {
  await world.stop()
  const { dataDir, databaseUrl } = world
  const engine = await openStore(withDefaults({ dataDir, ...(databaseUrl !== undefined && { databaseUrl }) }))
  const workspaces = new Workspaces(dataDir)
  const snapshots = new Snapshots({ engine, workspaces, logger: pino({ level: 'silent' }), now: Date.now })
  return {
    async states(session_id: string): Promise<number[]> {
      const rows = await engine.select<{ sequence: number }>(
        `SELECT sequence FROM workspace_states WHERE session_id = ? AND problem IS NULL ORDER BY sequence`,
        [session_id],
      )
      return rows.map(({ sequence }) => sequence)
    },
    restore: (session_id: string, before: number) => snapshots.restore(session_id, { before }, never),
    look: (session_id: string) => lookAt(workspaces.directoryOf(session_id)),
    kept: () => readdir(snapshots.directory),
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  }
}

describe.each(STORES)('on %s', (store) => {
  test('[W12.1] the first writing call after a message keeps one state; reading and showing keep none', async () => {
    await using world = await World.open(store)
    world.learn({
      'write twice': [
        { calls: [write('a.txt', 'one'), write('a.txt', 'two')] },
        { calls: [write('b.txt', 'x')] },
        { text: 'Done.' },
      ],
      look: [{ calls: [read('a.txt'), { name: 'RenderHtml', arguments: { html: '<p>x</p>' } }] }, { text: 'Seen.' }],
      'write again': [{ calls: [write('a.txt', 'three')] }, { text: 'Done.' }],
      'by another': [
        { calls: [{ name: 'Agent', arguments: { description: 'child', prompt: 'write below' } }] },
        { text: 'Done.' },
      ],
      'write below': [{ calls: [write('child.txt', 'x')] }, { text: 'Done below.' }],
    })
    await using chat = await world.chat()
    for (const question of ['write twice', 'look', 'write again', 'by another']) await chat.run(question)
    const said = (await chat.messages()).flatMap(({ role, sequence, loop_id }) =>
      role === 'user' && loop_id === 'root' ? [sequence] : [],
    )
    const { session_id } = chat
    await using server = await stopped(world)
    const [first, looked, again, delegated] = said as [number, number, number, number]
    expect(await server.states(session_id)).toEqual([first, again, delegated])
    await server.restore(session_id, looked)
    expect(await server.look(session_id)).toEqual({ 'a.txt': '644 two', 'b.txt': '644 x' })
    await server.restore(session_id, first)
    expect(await server.look(session_id)).toEqual({})
  })

  test('[W12.1] [W12.3] every route that changes a file keeps the state first, once for each message', async () => {
    await using world = await World.open(store)
    world.otherwise(() => ({ text: 'Well.' }))
    await using chat = await world.chat()
    const { session_id } = chat
    const route = async (method: string, tail: string, body?: object) =>
      expect((await world.rest(method, `/api/sessions/${session_id}${tail}`, { ...(body && { body }) })).status).toBe(
        200,
      )
    await route('PUT', '/files/a.txt', { content: 'before the first message' })
    const upload = async () => {
      const body = new FormData()
      body.append('files', new Blob(['uploaded']), 'up.txt')
      const headers = { authorization: `Bearer ${OWNER_KEY}` }
      const reply = await fetch(`${world.url}/api/sessions/${session_id}/upload`, { method: 'POST', body, headers })
      expect(reply.status).toBe(200)
    }
    const looks: Record<string, string>[] = []
    const deeds = [
      () => route('PUT', '/files/a.txt', { content: 'changed' }),
      () => route('POST', '/files/a.txt/copy'),
      () => route('POST', '/files/a.txt/rename', { new_name: 'b.txt' }),
      () => route('POST', '/share-file', { source_path: 'b.txt' }),
      () => route('DELETE', '/files/b.txt'),
      upload,
    ]
    for (const deed of deeds) {
      await chat.run('say something')
      looks.push(await lookAt(join(world.dataDir, 'workspaces', session_id)))
      await route('GET', '/ls')
      await deed()
      await route('PUT', '/files/c.txt', { content: `and ${looks.length}` })
    }
    const said = (await chat.messages()).flatMap(({ role, sequence }) => (role === 'user' ? [sequence] : []))
    await using server = await stopped(world)
    expect(await server.states(session_id)).toEqual(said)
    for (const [index, sequence] of said.entries()) {
      expect(await server.restore(session_id, sequence)).toEqual({ restored: true })
      expect(await server.look(session_id), `before message ${index}`).toEqual(looks[index])
    }
  })

  test('[W12.1] [W5.3] what was sent with a message is there before it, and not before the message before', async () => {
    await using world = await World.open(store)
    world.otherwise(() => ({ text: 'Well.' }))
    await using chat = await world.chat()
    const { session_id } = chat
    const file = (name: string) => [
      { type: 'text' as const, text: 'See this' },
      { type: 'file' as const, name, data: Buffer.from(name).toString('base64') },
    ]
    for (const name of ['one.txt', 'two.txt', 'three.txt']) await chat.run(file(name))
    const said = (await chat.messages()).flatMap(({ role, sequence }) => (role === 'user' ? [sequence] : []))
    await using server = await stopped(world)
    const uploads = async () => Object.keys(await server.look(session_id)).filter((path) => path.endsWith('.txt'))
    expect(await server.restore(session_id, said[2]!)).toMatchObject({ reason: 'unchanged' })
    await server.restore(session_id, said[1]!)
    expect(await uploads()).toEqual(['uploads/one.txt', 'uploads/two.txt'])
    await server.restore(session_id, said[0]!)
    expect(await uploads()).toEqual(['uploads/one.txt'])
  })

  test('[W12.1] a session that is deleted takes its states along', async () => {
    await using world = await World.open(store)
    world.learn({ write: [{ calls: [write('a.txt', 'one')] }, { text: 'Done.' }] })
    await using chat = await world.chat()
    await using other = await world.chat()
    for (const one of [chat, other]) await one.run('write')
    expect((await world.rest('DELETE', `/api/sessions/${chat.session_id}`)).status).toBe(200)
    await using server = await stopped(world)
    expect(await server.kept()).toEqual([other.session_id])
    expect(await server.states(chat.session_id)).toEqual([])
    expect(await server.states(other.session_id)).toHaveLength(1)
  })
})
