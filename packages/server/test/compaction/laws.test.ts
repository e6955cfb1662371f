import { isAgentError } from '@parley/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ModelRequest } from '../../src/ports.ts'
import { ask, fork, type Reply, scriptedTools, situation } from '../loop/scripted.ts'
import { choose, type Instance } from '../sessions/rig.ts'
import { folded, isSummary, unmatched, words } from './conversation.ts'
import { on, PLACES } from './places.ts'

const STEPS = [
  'talk',
  'read',
  'ask',
  'fork',
  'answer',
  'stop',
  'compact',
  'compact and talk',
  'compact, talk and stop',
  'talk and stop',
] as const
type Step = (typeof STEPS)[number]

function model(request: ModelRequest): Reply {
  if (isSummary(request)) return { text: 'A summary.' }
  const { asked, results } = situation(request)
  if (results.length > 0 || asked.includes('summary')) return { text: `Done. ${words(30)}`, usage: null }
  if (asked.startsWith('read')) return { calls: [{ name: 'Read' }, { name: 'Read' }], usage: null }
  if (asked.startsWith('ask')) return { calls: [{ name: 'Read' }, ask()], usage: null }
  if (asked.startsWith('fork')) return { calls: [fork('read'), fork('talk')], usage: null }
  return { text: `Yes. ${words(30)}`, usage: null }
}

/** One step, whatever state the session is in; what is refused changes nothing. */
async function take(step: Step, one: Instance, id: string): Promise<void> {
  const say = async (text: string) => one.events(await one.send(id, `${text} ${words(20)}`))
  if (step === 'answer') {
    const { pending_question } = await one.sessions.detail({ user_id: 'user_1' }, id)
    if (pending_question) await one.events(await one.answer(id, choose(pending_question.tool_call_id, 0)))
  } else if (step === 'stop') await one.stop(id)
  else if (step === 'compact') await one.compacted(await one.compact(id))
  else if (step === 'compact and talk') {
    await one.compact(id)
    await say('talk')
  } else if (step === 'compact, talk and stop') {
    const compact = await one.compact(id)
    const { run_id } = await one.send(id, `talk ${words(20)}`)
    await one.stop(id, run_id)
    await one.compacted(compact)
  } else if (step === 'talk and stop') {
    const accepted = await one.send(id, `read ${words(20)}`)
    await one.stop(id)
    await one.events(accepted)
  } else await say(step)
}

test.each(PLACES)(
  '[W8] [W10.11] on %s, after any steps the fold is the rows, and no call went to the model without its result',
  { timeout: 300_000 },
  async (place) => {
    await using rig = await on(place)
    const runs = place === 'sqlite' ? 12 : 4
    const one = rig.instance({ model, tools: scriptedTools({ Read: { run: () => words(60) } }), compactAt: 0.7 })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...STEPS), { minLength: 4, maxLength: 10 }), async (steps) => {
        const { id } = await one.create()
        for (const step of steps)
          await take(step, one, id).catch((error: unknown) => {
            if (!isAgentError(error)) throw error
          })
        expect(await folded(one, id)).toEqual(await one.messages(id))
        for (const request of one.model.requests.splice(0))
          expect(unmatched((JSON.parse(request) as ModelRequest).messages)).toEqual([])
        expect(rig.errors).toEqual([])
      }),
      { numRuns: runs, endOnFailure: true },
    )
  },
)
