import { expect, test } from 'vitest'
import type { Engine } from '../../src/store/engine.ts'
import { startInstance } from '../../src/store/instances.ts'
import { scriptedTools } from '../loop/scripted.ts'
import { postgresPlace } from '../store/place.ts'
import { dataOf, Rig } from './rig.ts'

const tools = scriptedTools({ Special: { replay: 'safe', run: () => 'ran' } })
const model = [{ calls: [{ name: 'Special' }] }]

test('[3] a run is carried on only by an instance that has its tools, as long as one is alive', async () => {
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
  expect(await rig.sql('SELECT owner FROM gates')).toEqual([{ owner: 'instance_1' }])
  await rig.takeOver(id, having)
  expect(dataOf(await having.events(accepted), 'chat:end')).toMatchObject({ status: 'completed' })
  expect(rig.errors).toEqual([])
})

test.each([
  ['model', { models: ['other'] }, 'model_not_available', 'There is no model scripted any more.'],
  ['tool', {}, 'tool_error', 'There is no tool Special any more.'],
])('[3] a run whose %s no living instance has ends, and says so', async (_what, lacks, code, message) => {
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

/** The rig closes what it is given; this one is somebody else's. */
function borrowed(engine: Engine): Engine {
  return new Proxy(engine, {
    get: (target, name) => {
      if (name === Symbol.asyncDispose) return async () => undefined
      const value = Reflect.get(target, name, target) as unknown
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}
