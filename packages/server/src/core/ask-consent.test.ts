import { expect, test } from 'vitest'
import { mainLoop, playLoop, scriptedTools, World } from '../../test/loop/scripted.ts'
import { callDigest } from '../confirm/policy.ts'
import { hasConsent } from './ask-consent.ts'
import type { Call } from './loop-state.ts'

const agreed = { arguments: '{}', digest: 'd', decided_at: 0 }

test.each<{ what: string; consent: Call['consent']; now: number; holds: boolean }>([
  { what: 'none', consent: null, now: 0, holds: false },
  { what: 'to this, just now', consent: agreed, now: 0, holds: true },
  { what: 'to this, shortly before its end', consent: agreed, now: 899_999, holds: true },
  { what: 'to this, at its end', consent: agreed, now: 900_000, holds: false },
  { what: 'to something else', consent: { ...agreed, digest: 'e' }, now: 0, holds: false },
])('consent $what', ({ consent, now, holds }) => {
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
    const consent = { arguments: '{}', digest: callDigest('Bash', {}), decided_at: 0 }
    world.active.answer(event.question_id, { type: 'agreed', consent })
    slow.resolve('slow')
  })
  expect(ran).toEqual([])
  expect(outcome).toEqual({ status: 'handed_back' })
})
