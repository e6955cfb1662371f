import { describe, expect, test } from 'vitest'
import type { Tools } from '../../src/ports.ts'
import { scriptedTools } from '../loop/scripted.ts'
import { dataOf, type Instance, Rig } from './rig.ts'

const BASH = [{ name: 'Bash' }]
const fail = (): never => {
  throw new Error('a bug of ours')
}

/** Everything open is closed, the reason has a code and holds no word of the error, and the session takes messages. */
async function expectFailed(rig: Rig, one: Instance): Promise<void> {
  const { session_id, events } = await one.chat('Hello')
  expect(dataOf(events, 'chat:end')).toMatchObject({ status: 'failed', error: { code: 'internal_error' } })
  expect(dataOf(events, 'system:error')).toMatchObject({ code: 'internal_error' })
  expect(JSON.stringify(events)).not.toContain('a bug of ours')
  expect(rig.errors.map(String)).toContain('Error: a bug of ours')
  const [gate] = await rig.sql<{ run_id: string | null }>('SELECT run_id FROM gates')
  expect(gate).toEqual({ run_id: null })
  const turns = await one.messages(session_id)
  expect(turns.map(({ status }) => status)).not.toContain('streaming')
  expect(turns.flatMap(({ tool_calls }) => tool_calls).map(({ status }) => status)).not.toContain('pending')
}

describe('a run that meets an error nobody expected ends as failed, here and now', () => {
  test.each<[string, (tools: Tools) => Partial<Tools>]>([
    ['in the policy', () => ({ judge: fail })],
    ['where tools are looked up', ({ list }) => ({ list, find: fail })],
    ['where tools are listed', () => ({ list: fail })],
  ])('%s', async (_where, broken) => {
    await using rig = await Rig.open()
    const tools = scriptedTools({ Bash: {} })
    await expectFailed(
      rig,
      rig.instance({ model: [{ text: 'I', calls: BASH }], tools: { ...tools, ...broken(tools) } }),
    )
  })

  test('in a model', async () => {
    await using rig = await Rig.open()
    const stream = async function* () {
      yield { type: 'accepted' as const, model: 'm' }
      yield { type: 'text' as const, delta: 'half' }
      fail()
    }
    await expectFailed(rig, rig.instance({ model: { stream } }))
  })

  test('before it could begin', async () => {
    await using rig = await Rig.open()
    await expectFailed(rig, rig.instance({ tools: fail }))
  })

  test.each(['before:C2b', 'before:C4', 'before:C5', 'before:C6', 'before:C9'] as const)('%s', async (point) => {
    await using rig = await Rig.open()
    let times = 0
    const at = async (here: string) => void (here === point && ++times === 1 && fail())
    const one = rig.instance({ model: [{ calls: BASH }, { text: 'Done' }], tools: scriptedTools({ Bash: {} }), at })
    await expectFailed(rig, one)
  })
})
