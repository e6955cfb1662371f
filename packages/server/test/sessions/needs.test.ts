import { expect, test } from 'vitest'
import { startInstance } from '../../src/store/instances.ts'
import { scriptedTools } from '../loop/scripted.ts'
import { postgresPlace } from '../store/place.ts'
import { borrowed, choose, dataOf, lastCall, Rig } from './rig.ts'

const tools = scriptedTools({ Special: { replay: 'safe', run: () => 'ran' } })
const model = [{ calls: [{ name: 'Special' }] }]

test('[D3] a run is carried on only by an instance that has its tools, as long as one is alive', async () => {
  await using place = await postgresPlace()
  await using engine = await place.open()
  await using rig = new Rig('', borrowed(engine))
  const dead = rig.frozenAt('before:C5', { model, tools, ownTools: ['Special'] })
  const { id } = await dead.create()
  const accepted = await dead.send(id, 'Go')
  await dead.frozen

  const lacking = rig.instance({ model: [{ text: 'no' }] })
  const having = rig.instance({ model: [{ text: 'Done' }], tools, ownTools: ['Special'] })
  await using _alive = await startInstance({
    engine,
    id: 'having',
    leaseMs: 60_000,
    offer: () => ({ models: ['scripted'], tools: ['Special'] }),
    onError: (error) => rig.errors.push(error),
  })
  await rig.takeOver(id, lacking)
  expect(lacking.model.requests).toEqual([])
  expect(await rig.sql('SELECT owner FROM gates')).toEqual([{ owner: null }])
  await rig.takeOver(id, having)
  expect(dataOf(await having.events(accepted), 'chat:end')).toMatchObject({ status: 'completed' })
  expect(rig.errors).toEqual([])
})

test('[D3] an approval that reaches an instance without the tool is left to one that has it', async () => {
  await using place = await postgresPlace()
  await using engine = await place.open()
  await using rig = new Rig('', borrowed(engine))
  const ran: string[] = []
  const risky = scriptedTools({ Special: { asks: true, run: () => String(ran.push('ran')) } })
  const having = rig.instance({ model: [...model, { text: 'Done' }], tools: risky, ownTools: ['Special'] })
  const { session_id, events } = await having.chat('Go')
  const lacking = rig.instance({ model: [{ text: 'no' }] })
  await using _alive = await startInstance({
    engine,
    id: 'having',
    leaseMs: 60_000,
    offer: () => ({ models: ['scripted'], tools: ['Special'] }),
    onError: (error) => rig.errors.push(error),
  })
  const accepted = await lacking.answer(session_id, choose(lastCall(events)))
  await lacking.runs.claimExpired()
  expect(await rig.sql('SELECT owner FROM gates')).toEqual([{ owner: null }])
  await having.runs.claimExpired()
  expect(dataOf(await having.events(accepted), 'chat:end')).toMatchObject({ status: 'completed' })
  expect([ran, lacking.model.requests, rig.errors]).toEqual([['ran'], [], []])
  expect(await rig.sql('SELECT DISTINCT takeovers FROM runs')).toEqual([{ takeovers: 0 }])
})

test('[D3] where nobody has the tool any more, an answer is taken by whoever it reaches', async () => {
  await using place = await postgresPlace()
  await using engine = await place.open()
  await using rig = new Rig('', borrowed(engine))
  const risky = scriptedTools({ Special: { asks: true } })
  const gone = rig.instance({ model, tools: risky, ownTools: ['Special'] })
  const { session_id, events } = await gone.chat('Go')
  const lacking = rig.instance({ model: [{ text: 'Then without it' }] })
  const accepted = await lacking.answer(session_id, choose(lastCall(events), 1))
  expect(dataOf(await lacking.events(accepted), 'chat:end')).toMatchObject({ status: 'completed' })
})

test.each([
  ['model', { models: ['other'] }, 'model_not_available', 'There is no model scripted any more.'],
  ['tool', {}, 'tool_error', 'There is no tool Special any more.'],
])('[D3] a run whose %s no living instance has ends, and says so', async (...given) => {
  const [, lacks, code, message] = given
  await using place = await postgresPlace()
  await using engine = await place.open()
  await using rig = new Rig('', borrowed(engine))
  const dead = rig.frozenAt('before:C5', { model, tools, ownTools: ['Special'] })
  const { id } = await dead.create()
  const accepted = await dead.send(id, 'Go')
  await dead.frozen
  const other = rig.instance(lacks)
  await rig.takeOver(id, other)
  expect(dataOf(await other.events(accepted), 'chat:end')).toMatchObject({ status: 'failed', error: { code, message } })
})

test('[W12.13.7] a run whose agent cannot be had here is left to an instance that may; where none has it, it ends and says so', async () => {
  await using place = await postgresPlace()
  await using engine = await place.open()
  await using rig = new Rig('', borrowed(engine))
  const dead = rig.frozenAt('before:C5', { model, tools })
  const { id } = await dead.create()
  await rig.sql("UPDATE sessions SET agent = 'support', agent_digest = 'v2' WHERE id = ?", [id])
  const accepted = await dead.send(id, 'Go')
  await dead.frozen
  const lacking = rig.instance({ model: [{ text: 'no' }], name: 'lacking', lacks: ['v2'] })
  const lives = (name: string, lacks: string[]) =>
    startInstance({
      ...{ engine, id: name, leaseMs: 60_000 },
      offer: () => ({ models: ['scripted'], tools: [], lacks }),
      onError: (error) => rig.errors.push(error),
    })
  await using _self = await lives('lacking', [])
  {
    await using _other = await lives('other', [])
    await rig.takeOver(id, lacking)
    expect(await rig.sql('SELECT owner FROM gates')).toEqual([{ owner: null }])
  }
  await using _other = await lives('other', ['v2'])
  await rig.takeOver(id, lacking)
  expect(dataOf(await lacking.events(accepted), 'chat:end')).toMatchObject({
    status: 'failed',
    error: {
      code: 'agent_not_available',
      message: 'The agent support cannot be had here in the version that this conversation began with.',
    },
  })
  expect(lacking.model.requests).toEqual([])
})

test('[W12.13.7] only runs of an agent need a server that knows agents', async () => {
  await using rig = await Rig.open(':memory:')
  const one = rig.instance({ model: [{ text: 'a' }, { text: 'b' }] })
  const [plain, special] = [await one.create(), await one.create()]
  await rig.sql("UPDATE sessions SET agent = 'support', agent_digest = 'v2' WHERE id = ?", [special.id])
  for (const { id } of [plain, special]) await one.events(await one.send(id, 'Go'))
  const rows = await rig.sql<{ format: number; needs: string }>('SELECT format, needs FROM runs ORDER BY format')
  expect(rows.map(({ format, needs }) => [format, JSON.parse(needs)])).toEqual([
    [1, { model: 'scripted', tools: [] }],
    [2, { model: 'scripted', tools: [], agent: { name: 'support', digest: 'v2' } }],
  ])
})

test('[D3] a run in a format that this server cannot read is left alone, as one of an agent is by a server without agents', async () => {
  await using place = await postgresPlace()
  await using engine = await place.open()
  await using rig = new Rig('', borrowed(engine))
  const newer = rig.frozenAt('before:C5', { model, tools })
  const { id } = await newer.create()
  await newer.send(id, 'Go')
  await newer.frozen
  await rig.sql('UPDATE runs SET format = 99')
  const older = rig.instance({ model: [{ text: 'no' }], tools })
  await rig.takeOver(id, older)
  expect(await rig.sql('SELECT owner FROM gates')).toEqual([{ owner: null }])
  expect(older.model.requests).toEqual([])
})
