import { isAgentError } from '@parley/protocol'
import { createSessionSchema } from '@parley/protocol/schemas'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ModelRequest } from '../../src/ports.ts'
import type { Engine } from '../../src/store/engine.ts'
import { storeTurns } from '../../src/transfer/imported-rows.ts'
import { ImportedTurnsReader } from '../../src/transfer/imported-turns.ts'
import { folded, isSummary, unmatched, words } from '../compaction/conversation.ts'
import { on, PLACES } from '../compaction/places.ts'
import { ask, fork, type Reply, scriptedTools, situation } from '../loop/scripted.ts'
import { choose, clock, ids, type Instance } from '../sessions/rig.ts'

const SAID = ['talk', 'read', 'ask', 'fork'] as const
const DONE = ['answer', 'stop', 'compact', 'import'] as const
const step = fc.oneof(
  fc.record({ do: fc.constantFrom(...SAID, ...DONE) }),
  fc.record({ do: fc.constantFrom('rewind' as const, 'switch' as const), at: fc.nat(9) }),
  fc.record({
    do: fc.constant('what-if' as const),
    say: fc.constantFrom(...SAID),
    at: fc.nat(9),
    without: fc.boolean(),
  }),
)
const USER = { user_id: 'user_1' }

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

function model(request: ModelRequest): Reply {
  if (isSummary(request)) return { text: 'A summary.' }
  const { asked, results } = situation(request)
  if (results.length > 0) return { text: `Done. ${words(30)}`, usage: null }
  if (asked.startsWith('read')) return { calls: [{ name: 'Read' }, { name: 'Read' }], usage: null }
  if (asked.startsWith('ask')) return { calls: [{ name: 'Read' }, ask()], usage: null }
  if (asked.startsWith('fork')) return { calls: [fork('read'), fork('talk')], usage: null }
  return { text: `Yes. ${words(30)}`, usage: null }
}

/** A new session that begins with the turns of this one, as an archive has them. */
async function imported(one: Instance, id: string, engine: Engine): Promise<string> {
  const reader = new ImportedTurnsReader(ids)
  for (const turn of await one.messages(id)) reader.add(JSON.stringify(turn))
  const { turns } = reader.end()
  const session_id = ids.next('sess')
  const ports = { engine, journal: one.journal, clock }
  const rows = () => storeTurns({ session_id, user_id: USER.user_id, turns }, ports)
  return (await one.sessions.create(USER, createSessionSchema.parse({}), { session_id, rows })).id
}

/** One step, whatever state the session is in; what is refused changes nothing. */
async function take(step: Step, one: Instance, id: string): Promise<void> {
  const say = async (text: string, rest: object = {}) => one.events(await one.send(id, `${text} ${words(20)}`, rest))
  switch (step.do) {
    case 'answer': {
      const { pending_question } = await one.sessions.detail(USER, id)
      if (pending_question) await one.events(await one.answer(id, choose(pending_question.tool_call_id, 0)))
      break
    }
    case 'stop':
      await one.stop(id)
      break
    case 'compact':
      await one.compacted(await one.compact(id))
      break
    case 'rewind':
    case 'switch': {
      const all = await one.sessions.checkpoints(USER, id)
      const checkpoint = all[step.at % Math.max(1, all.length)]
      if (!checkpoint) break
      const to = { checkpoint_id: checkpoint.checkpoint_id, restore: 'conversation' as const }
      await (step.do === 'rewind' ? one.sessions.rewind(USER, id, to) : one.sessions.switchBranch(USER, id, to))
      break
    }
    case 'what-if': {
      const turns = (await one.messages(id)).filter(({ loop_id, role }) => loop_id === 'root' && role !== 'system')
      const from_step = step.at % (turns.length + 1)
      const left = step.without ? turns.slice(0, 1).map((turn) => turn.id) : []
      await say(step.say, { whatif: { from_step, quotes: [], deprecate_entry_ids: left } })
      break
    }
    default:
      await say(step.do)
  }
}

test.each(PLACES)(
  '[W8] [W12.1] on %s, after any steps the fold is the rows of all branches, and no call went to the model without its result',
  { timeout: 300_000 },
  async (place) => {
    await using rig = await on(place)
    const one = rig.instance({ model, tools: scriptedTools({ Read: { run: () => words(60) } }), compactAt: 0.7 })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
        let { id } = await one.create()
        for (const step of steps)
          if (step.do === 'import') id = await imported(one, id, rig.engine)
          else
            await take(step, one, id).catch((error: unknown) => {
              if (!isAgentError(error)) throw error
            })
        const all = await one.sessions.messages(USER, id, { branches: 'all' })
        const turns = await folded(one, id)
        expect(turns).toEqual(all.map((turn) => ({ ...turn, branch_id: undefined })))
        expect(turns.filter(({ deprecated }) => !deprecated)).toEqual(await one.messages(id))
        expect(new Set(all.map(({ sequence }) => sequence)).size).toBe(all.length)
        for (const request of one.model.requests.splice(0))
          expect(unmatched((JSON.parse(request) as ModelRequest).messages)).toEqual([])
        expect(rig.errors).toEqual([])
      }),
      { numRuns: place === 'sqlite' ? 15 : 6, endOnFailure: true },
    )
  },
)
