import type { TurnProjection } from '@parley/protocol'
import type { ContextStats } from '@parley/protocol/rest'
import type { FakeReply, FakeRequest } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { withDefaults } from '../../src/config/options.ts'
import { openStore } from '../../src/open-store.ts'
import { runSql } from '../../src/store/work.ts'
import { STORES, World } from '../wire/world.ts'

const WINDOW = 32_000
const TURNS = 2_000
const WORDS = 'word '.repeat(100)

/** Counts in its own way, which is not quite ours. */
const tokensOf = ({ bytes }: FakeRequest) => Math.ceil(bytes.length / 4.5)

/** A provider that counts, and says no to what is too long. */
function counting(refused: string[]) {
  return (request: FakeRequest): FakeReply => {
    const tokens = tokensOf(request)
    const message = `This model's maximum context length is ${WINDOW} tokens. However, your messages resulted in ${tokens} tokens.`
    if (tokens > WINDOW) {
      refused.push(request.question.slice(0, 40))
      return { error: { status: 400, body: { error: { message, code: 'context_length_exceeded' } } } }
    }
    if (request.question.includes('<record>'))
      return { text: 'They counted words. The password of the game is XYZZY-42.' }
    return { text: `Heard. ${WORDS}`, usage: { input: tokens, output: 120 } }
  }
}

/** Turns as any server before this one has left them, put in while no server runs. */
async function fill(world: World, session_id: string): Promise<void> {
  await world.stop()
  await using engine = await openStore(
    withDefaults({ dataDir: world.dataDir, ...(world.databaseUrl && { databaseUrl: world.databaseUrl }) }),
  )
  await engine.write(function* () {
    for (let sequence = 0; sequence < TURNS; sequence++) {
      const role = sequence % 2 ? 'assistant' : 'user'
      const turn_id = `turn_${sequence}`
      const projection = JSON.stringify(turnAt({ sequence, turn_id, role }))
      yield* runSql(
        'INSERT INTO turns (session_id, sequence, turn_id, run_id, loop_id, status, projection) VALUES (?, ?, ?, NULL, ?, ?, ?)',
        [session_id, sequence, turn_id, 'root', 'completed', projection],
      )
    }
  })
}

function turnAt(given: Pick<TurnProjection, 'sequence' | 'turn_id' | 'role'>): Partial<TurnProjection> {
  const names = { tool_call_id: null, tool_name: null, display_name: null }
  return {
    ...given,
    id: `entry_${given.sequence}`,
    loop_id: 'root',
    kind: 'message',
    status: 'completed',
    blocks: [{ type: 'text', content: `${given.sequence} ${WORDS}`, ...names }],
    ...{ tool_calls: [], model: null, usage: null, duration_ms: 0, started_at: null, context_window: 0 },
    ...{ memory_refs: null, parent_fork_tool_call_id: null, failure_reason: null, patch_sequence: 0, run_id: null },
  }
}

describe.each(STORES)('[W10.11] on %s', (store) => {
  test('a session of 2 000 turns goes on with a model of 32 000 tokens whose window nobody knew', async () => {
    const refused: string[] = []
    await using world = await World.open(store, { suggestions: false })
    const questions = Array.from({ length: 12 }, (_, at) => `Question ${at}. ${'word '.repeat(at < 2 ? 10 : 2_500)}`)
    world.otherwise(counting(refused))
    const session_id = await world.newSession()
    await fill(world, session_id)
    await world.start()
    await using chat = await world.chat({ session_id })
    for (const question of questions) expect((await chat.run(question)).end).toMatchObject({ status: 'completed' })
    const { body: stats } = await world.rest<ContextStats>('GET', `/api/sessions/${session_id}/context-stats`)
    expect(stats.context_window).toBe(WINDOW)
    expect(stats.used_tokens).toBeLessThan(WINDOW)
    expect(stats.compaction_count).toBeGreaterThan(1)
    // What nobody knew was refused once; since then everything fits.
    expect(refused.filter((question) => question.startsWith('Question'))).toHaveLength(1)
    const turns = await chat.messages()
    expect(turns.filter(({ kind }) => kind === 'message')).toHaveLength(TURNS + 2 * questions.length)
    const triggers = turns.filter(({ kind }) => kind === 'compaction').map(({ trigger }) => trigger)
    expect(triggers[0]).toBe('forced_retry')
    expect(new Set(triggers.slice(1))).toEqual(new Set(['auto']))
    const last = world.provider.requests.at(-1)!
    expect(JSON.stringify(last.body)).toContain('XYZZY-42')
    expect(tokensOf(last)).toBeLessThan(WINDOW)
  }, 120_000)
})
