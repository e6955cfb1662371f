import type { TurnProjection } from '@parley/protocol'
import type { Checkpoint, ImportedSession } from '@parley/protocol/rest'
import { describe, expect, test } from 'vitest'
import { rawZip } from '../wire/raw-zip.ts'
import { OWNER_KEY, sharedWorld, STORES, type World } from '../wire/world.ts'

const TURNS = 4_100

/** Questions and answers by turns, brought in as an archive. */
async function importLong(world: World): Promise<string> {
  const turns = Array.from({ length: TURNS }, (_, sequence) => ({
    ...{ id: `entry_${sequence}`, sequence, turn_id: `turn_${sequence}`, loop_id: 'root', kind: 'message' },
    ...{ role: sequence % 2 === 0 ? 'user' : 'assistant', status: 'completed', tool_calls: [] },
    ...{ blocks: [{ type: 'text', content: `said ${sequence}` }], duration_ms: 0, context_window: 0 },
  }))
  const manifest = { format: 'parley-session', version: 1, exported_at: '2026-01-01T00:00:00.000Z' }
  const file = rawZip([
    { name: 'manifest.json', content: JSON.stringify(manifest) },
    { name: 'session.json', content: JSON.stringify({ intent: 'long' }) },
    { name: 'turns.jsonl', content: turns.map((one) => JSON.stringify(one)).join('\n') },
  ])
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(file)]), 'session.zip')
  const headers = { authorization: `Bearer ${OWNER_KEY}` }
  const answer = await fetch(`${world.url}/api/sessions/import`, { method: 'POST', body: form, headers })
  return ((await answer.json()) as ImportedSession).session_id
}

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)

  test('[W12.1] a thousand entries can be left out at once, twice; a path of more than 2 000 pieces is refused by name', async () => {
    const session_id = await importLong(world())
    await using chat = await world().chat({ session_id })
    const messages = async (query = '') =>
      (await world().rest<TurnProjection[]>('GET', `/api/sessions/${session_id}/messages${query}`)).body
    const entries = (await messages()).map(({ id }) => id)
    const answers = entries.filter((_, index) => index % 2 === 1)
    for (const [time, question] of ['once', 'twice'].entries()) {
      world().learn({ [question]: [{ text: `${question} answered` }] })
      const deprecate_entry_ids = answers.slice(1 + time * 999, 1 + (time + 1) * 999)
      await chat.run(question, { whatif: { from_step: (await messages()).length, deprecate_entry_ids } })
      expect(await messages()).toHaveLength(TURNS - (time + 1) * 999 + (time + 1) * 2)
    }
    const left = { from_step: (await messages()).length, deprecate_entry_ids: answers.slice(1_999, 2_009) }
    expect(await chat.send('thrice', { whatif: left })).toMatchObject({
      code: 'invalid_payload',
      message: expect.stringContaining('at most 2000'),
    })
    expect(await messages('?branches=all')).toHaveLength(TURNS + 4)
    const { body } = await world().rest<Checkpoint[]>('GET', `/api/sessions/${session_id}/checkpoints`)
    expect(body).toHaveLength(1_000)
    expect(body.slice(-2).map(({ label }) => label)).toEqual(['once', 'twice'])
  })
})
