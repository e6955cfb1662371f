import type { TurnProjection } from '@parley/protocol'
import type { Checkpoint } from '@parley/protocol/rest'
import { describe, expect, test } from 'vitest'
import { importLong } from '../wire/import-long.ts'
import { sharedWorld, STORES } from '../wire/world.ts'

const TURNS = 4_100

describe.each(STORES)('on %s', (store) => {
  const world = sharedWorld(store)

  test('[W12.1] a thousand entries can be left out at once, twice; a path of more than 2 000 pieces is refused by name', async () => {
    const session_id = await importLong(world(), TURNS)
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
