import { expect, test } from 'vitest'
import { mainLoop, playLoop, scriptedTools, World } from '../../test/loop/scripted.ts'
import { digestOf } from '../confirm/policy.ts'
import { hasConsent } from './ask-consent.ts'
import type { Call } from './loop-state.ts'

const agreed = { arguments: '{}', digest: 'd', decided_at: 0 }

test.each<[string, Call['consent'], number, boolean]>([
  ['none', null, 0, false],
  ['to this, just now', agreed, 0, true],
  ['to this, shortly before its end', agreed, 899_999, true],
  ['to this, at its end', agreed, 900_000, false],
  ['to something else', { ...agreed, digest: 'e' }, 0, false],
])('consent %s', (_, consent, now, holds) => {
  const { env } = new World([], { decisionNow: () => now })
  expect(hasConsent({ consent } as Call, 'd', env)).toBe(holds)
})

test('a call that is decided while the server is about to stop is left to whoever carries on', async () => {
  const ran: string[] = []
  const slow = Promise.withResolvers<string>()
  const tools = scriptedTools({
    Bash: { asks: true, run: () => String(ran.push('Bash')) },
    Slow: { readOnly: true, run: async () => ({ result: await slow.promise }) },
  })
  const world = new World([{ calls: [{ name: 'Bash' }, { name: 'Slow' }] }], { tools })
  const loop = mainLoop()
  const { outcome } = await playLoop(loop, world, (event) => {
    if (event.type !== 'tool:confirm') return
    world.active.isDraining = true
    const consent = { arguments: '{}', digest: digestOf('Bash', {}), decided_at: 0 }
    world.active.answer(event.question_id, { type: 'agreed', consent })
    slow.resolve('slow')
  })
  expect(ran).toEqual([])
  expect(outcome).toEqual({ status: 'handed_back' })
})
