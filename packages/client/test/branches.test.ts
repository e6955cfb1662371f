/** Conversations that go back and on elsewhere, for everybody who follows them: real servers, real sockets. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentSession, AgentSessionState, ParleyClient } from '@parley/client'
import { textOf } from '@parley/protocol'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withDefaults } from '../../server/src/config/options.ts'
import { startServer } from '../../server/src/server.ts'
import { type FakeModel, startFakeModel, startTcpProxy, type TcpProxy } from '../../testkit/src/index.ts'
import { fastClient, idle, until } from './fast-client.ts'

const KEY = 'sk-blade-v2-for-the-tests-of-branches'
let parts: AsyncDisposableStack
let model: FakeModel
let url: string
let proxy: TcpProxy
/** Each answer is another one, so that versions can be told apart. */
let answers = 0

beforeAll(async () => {
  parts = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-branches-'))
  parts.defer(() => rm(dataDir, { recursive: true, force: true }))
  model = parts.use(
    await startFakeModel(({ question }) => {
      const text = `${question.split('\n')[0]}: answer ${(answers += 1)}`
      return question.startsWith('slow') ? { text: `${text} ${'word '.repeat(60)}`, chunkDelayMs: 20 } : { text }
    }),
  )
  const options = { port: 0, dataDir, ownerKey: KEY, modelUrl: model.url, model: 'fake-model', drainMs: 100 }
  const server = parts.use(await startServer(withDefaults(options), pino({ level: 'silent' })))
  url = server.url
  proxy = parts.use(await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(url).port) }))
})
afterAll(() => parts.disposeAsync())

const textsOf = ({ turns }: Pick<AgentSessionState, 'turns'>) => turns.map(textOf)

async function say(session: AgentSession, ...messages: string[]): Promise<void> {
  for (const message of messages) await ended(session, () => session.send(message))
}

async function ended(session: AgentSession, begin: () => Promise<{ run_id: string }>): Promise<void> {
  const over = new Set<string>()
  const undo = session.on('chat:end', ({ run_id }) => over.add(run_id ?? ''))
  const { run_id } = await begin()
  await expect.poll(() => over.has(run_id), { interval: 5, timeout: 60_000 }).toBe(true)
  undo()
  await until(session, idle)
}

const equalsStored = async (client: ParleyClient, session: AgentSession) => {
  // Not by `getSessionTurns`, which the session would take over.
  const stored = await client.api.get<AgentSessionState['turns']>(`/api/sessions/${session.id}/messages`)
  expect(session.getState().turns).toEqual(stored)
}

test('[W12.1] an answer that is asked for again stands in the place of the old one, which stays as a version', async () => {
  const client = fastClient(url, KEY)
  using session = await client.sessions.create()
  await say(session, 'one', 'two')
  const before = session.getState().turns
  await ended(session, () => session.regenerate(before[3]!.turn_id))
  const now = textsOf(session.getState())
  expect(now).toEqual([textOf(before[0]!), textOf(before[1]!), 'two', expect.stringMatching(/^two: answer/)])
  expect(now[3]).not.toBe(textOf(before[3]!))
  await equalsStored(client, session)
  const { turns } = session.getState()
  const versions = await session.versionsOf(turns[3]!.turn_id)
  expect(versions.map(({ turn_id, active }) => [turn_id, active])).toEqual([
    [before[2]!.turn_id, false],
    [turns[2]!.turn_id, true],
  ])
  await session.switchVersion(versions[0]!)
  expect((await until(session, ({ branch, isReady }) => isReady && branch?.branch_id === 'main')).turns).toEqual(before)
  expect(await session.versionsOf(before[0]!.turn_id)).toHaveLength(1)
})

test('[W12.1] another message in the place of one keeps its attachments; other parts replace them', async () => {
  const client = fastClient(url, KEY)
  using session = await client.sessions.create()
  const file = { type: 'file' as const, name: '数据.csv', data: btoa('a,b') }
  const png = `data:image/png;base64,${btoa('not really a picture')}`
  const image = { type: 'image_url' as const, image_url: { url: png }, name: 'dot.png' }
  await ended(session, () => session.send([{ type: 'text', text: 'look' }, file, image]))
  const asked = () => session.getState().turns[0]!
  const names = () => asked().content_parts!.map(({ type, name }) => [type, name])
  const parts = names()
  await ended(session, () => session.regenerate(asked().turn_id))
  expect([textOf(asked()), names()]).toEqual(['look', parts])
  await ended(session, () => session.edit(asked().turn_id, '看这里'))
  expect([textOf(asked()), names()]).toEqual(['看这里', parts])
  const { url: at } = asked().content_parts![1] as { url: string }
  expect(await (await client.api.raw(at)).text()).toBe('a,b')
  expect(JSON.stringify(model.requests.at(-1)!.body)).toContain(png)
  await ended(session, () => session.edit(asked().turn_id, [{ type: 'text', text: 'alone' }]))
  expect([textOf(asked()), asked().content_parts ?? null]).toEqual(['alone', null])
  expect(await session.versionsOf(asked().turn_id)).toHaveLength(4)
})

test('[W12.1] a message that was not read cannot be replaced from here', async () => {
  const client = fastClient(url, KEY)
  using session = await client.sessions.create()
  await say(session, 'one')
  await expect(session.regenerate('turn_nobody')).rejects.toMatchObject({ code: 'not_found' })
})

test('[W12.1] who follows a session sees one branch or the other, never a part of both', async () => {
  const client = fastClient(url, KEY)
  using session = await client.sessions.create()
  await say(session, 'one', 'two', 'three')
  const main = textsOf(session.getState())
  await ended(session, () => session.edit(session.getState().turns[0]!.turn_id, 'uno'))
  const branch = textsOf(session.getState())
  // It opens on the branch, and has never read the other one.
  using other = fastClient(url, KEY).sessions.connect(session.id)
  await other.ready()
  const shown: string[][] = []
  other.subscribe(() => shown.push(textsOf(other.getState())))
  const [first, second] = await session.versionsOf(session.getState().turns[0]!.turn_id)
  for (let round = 0; round < 3; round += 1)
    for (const [version, texts] of [
      [first, main],
      [second, branch],
    ] as const) {
      await session.switchVersion(version!)
      for (const one of [session, other])
        expect(
          textsOf(await until(one, ({ branch, isReady }) => isReady && branch?.branch_id === version!.branch_id)),
        ).toEqual(texts)
    }
  for (const texts of shown) expect([main, branch]).toContainEqual(texts)
})

test('[W12.1] a regenerated answer streams to everybody, also to who opens the session in the middle of it', async () => {
  const client = fastClient(url, KEY)
  using session = await client.sessions.create()
  await say(session, 'one', 'slow two')
  using witness = fastClient(url, KEY).sessions.connect(session.id)
  await witness.ready()
  const over = ended(session, () => session.regenerate(session.getState().turns[3]!.turn_id))
  const isUnderWay = ({ turns }: AgentSessionState) =>
    turns.at(-1)?.status === 'streaming' && textOf(turns.at(-1)!).includes('word')
  await until(witness, isUnderWay)
  expect(witness.getState().turns.map(({ sequence }) => sequence)).toEqual([0, 1, 4, 5])
  using late = fastClient(url, KEY).sessions.connect(session.id)
  await until(late, (state) => state.isReady && isUnderWay(state))
  await over
  for (const one of [session, witness, late]) {
    await until(one, idle)
    await equalsStored(client, one)
  }
})

test('[W12.1] a long session has the pages of its branch, whatever numbers lie between', async () => {
  const client = fastClient(url, KEY)
  using author = await client.sessions.create()
  await say(author, ...Array.from({ length: 8 }, (_, index) => `message ${index}`))
  using session = fastClient(url, KEY).sessions.connect(author.id, { limit: 4 })
  await session.ready()
  // Back to before everything that was read.
  const checkpoints = await client.sessions.checkpoints(author.id)
  await client.sessions.rewind(author.id, checkpoints[3]!.checkpoint_id)
  await until(session, ({ turns, isReady }) => isReady && turns.at(-1)?.sequence === 5)
  await say(author, 'elsewhere', 'and on')
  await until(session, ({ turns }) => turns.at(-1)?.sequence === 19 && turns.at(-1)?.status === 'completed')
  while (session.getState().hasOlder) await session.loadOlder(3)
  await equalsStored(client, session)
  expect(session.getState().turns.map(({ sequence }) => sequence)).toEqual([0, 1, 2, 3, 4, 5, 16, 17, 18, 19])

  // The first message itself was replaced: there is nothing before.
  await ended(author, () => author.edit(author.getState().turns[0]!.turn_id, 'from the beginning'))
  await until(session, (state) => idle(state) && state.turns[0]?.sequence === 20)
  expect(session.getState()).toMatchObject({ hasOlder: false, turns: { length: 2 } })
  using fresh = fastClient(url, KEY).sessions.connect(author.id, { limit: 1 })
  await fresh.ready()
  expect(fresh.getState().hasOlder).toBe(true)
  await fresh.loadOlder()
  expect(fresh.getState()).toMatchObject({ hasOlder: false, turns: { length: 2 } })
})

test('[W12.1] [W10.15] a page of older turns that was asked for on another branch is read again', async () => {
  const client = fastClient(url, KEY)
  using author = await client.sessions.create()
  await say(author, 'one', 'two', 'three')
  await ended(author, () => author.edit(author.getState().turns[0]!.turn_id, 'uno'))
  await say(author, 'dos', 'tres')
  using session = fastClient(url, KEY).sessions.connect(author.id, { limit: 2 })
  await session.ready()
  const [first] = await author.versionsOf(author.getState().turns[0]!.turn_id)
  const older = session.loadOlder(3)
  await author.switchVersion(first!)
  await until(session, ({ branch, isReady }) => isReady && branch?.branch_id === 'main')
  await older
  while (session.getState().hasOlder) await session.loadOlder(3)
  await equalsStored(client, session)
})

test('[W12.1] [W10.15] whatever is done while the connection breaks, the state ends as the history', async () => {
  const client = fastClient(url, KEY)
  using author = await client.sessions.create()
  await say(author, 'one', 'two')
  const follower = fastClient(`http://127.0.0.1:${proxy.port}`, KEY)
  using session = follower.sessions.connect(author.id)
  using windowed = fastClient(`http://127.0.0.1:${proxy.port}`, KEY).sessions.connect(author.id, { limit: 2 })
  await Promise.all([session.ready(), windowed.ready()])
  let events = 0
  session.on('turn:patch', () => {
    if ((events += 1) % 7 === 0) proxy.cut()
  })
  const { checkpoints, rewind, switchBranch } = client.sessions
  for (let round = 0; round < 12; round += 1) {
    const all = await checkpoints(author.id)
    const { checkpoint_id, turn_id, active } = all[(round * 5) % all.length]!
    if (round % 3 === 0) proxy.cut()
    if (round % 4 === 3) await rewind(author.id, checkpoint_id)
    else if (round % 4 === 1 || !active) await switchBranch(author.id, checkpoint_id)
    else await ended(author, () => author.edit(turn_id, `${round % 2 ? 'slow ' : ''}edit ${round}`))
    if (round % 4 === 2) proxy.cut()
    await until(author, idle)
    await say(author, `message ${round}`)
  }
  const { turns, branch } = author.getState()
  const isThere = (state: AgentSessionState) =>
    idle(state) &&
    state.branch?.branch_id === branch!.branch_id &&
    state.turns.at(-1)?.turn_id === turns.at(-1)!.turn_id
  for (const one of [author, session]) {
    await until(one, isThere)
    await equalsStored(client, one)
  }
  await until(windowed, isThere)
  while (windowed.getState().hasOlder) await windowed.loadOlder(5)
  await equalsStored(client, windowed)
})
