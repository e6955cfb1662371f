import { describe, expect, test } from 'vitest'
import type { ModelRequest } from '../../src/ports.ts'
import { FORMAT_WITHOUT_CONSENT, RUN_FORMAT } from '../../src/store/run-options.ts'
import { dataOf, holdAt, type Instance, me } from '../sessions/rig.ts'
import { folded, isSummary } from './conversation.ts'
import { on, PLACES } from './places.ts'

const LONG = 'word '.repeat(60)
const model = (request: ModelRequest) =>
  isSummary(request) ? { text: 'They talked about words.' } : { text: `Answer. ${LONG}` }

/** A session in which that many messages were answered. */
async function talk(one: Instance, messages: number): Promise<string> {
  const { id } = await one.create()
  for (let at = 1; at <= messages; at++) await one.events(await one.send(id, `Question ${at}. ${LONG}`))
  return id
}

describe.each(PLACES)('[W10.11] a compaction that somebody asked for, on %s', (place) => {
  test('archives all but the last exchange, with honest numbers, in one event that the fold understands', async () => {
    await using rig = await on(place)
    const one = rig.instance({ model })
    const id = await talk(one, 3)
    const accepted = await one.compact(id)
    const events = await one.compacted(accepted)
    const turns = await one.messages(id)
    const compaction = turns.at(-1)!
    expect(events.map(({ type }) => type).filter((type) => !type.startsWith('run:'))).toEqual([
      'turn:start',
      'turn:end',
    ])
    expect(compaction).toMatchObject({
      kind: 'compaction',
      role: 'system',
      status: 'completed',
      trigger: 'manual',
      blocks: [],
      tool_calls: [],
      summary_full: 'They talked about words.',
      summary_preview: 'They talked about words.',
      archived_count: 4,
      archived_range: { from: 0, to: 3, kept: [] },
      loop_id: 'root',
    })
    expect(compaction.compaction_id).toMatch(/^cmp_/)
    expect(compaction.tokens_after!).toBeLessThan(compaction.tokens_before!)
    expect(compaction.saved_ratio).toBe(1 - compaction.tokens_after! / compaction.tokens_before!)
    expect(turns.map(({ archived = false }) => archived)).toEqual([true, true, true, true, false, false, false])
    expect(await folded(one, id)).toEqual(turns)
  })

  test('leaves the model the summary and what came after, and the session idle', async () => {
    await using rig = await on(place)
    const one = rig.instance({ model })
    const id = await talk(one, 3)
    const before = await one.sessions.get(me, id)
    await one.compacted(await one.compact(id))
    expect(await one.sessions.get(me, id)).toEqual({ ...before, last_event_seq: before.last_event_seq + 5 })
    await one.events(await one.send(id, 'And now?'))
    const { messages } = JSON.parse(one.model.requests.at(-1)!) as ModelRequest
    expect(messages.map(({ role }) => role)).toEqual(['user', 'user', 'assistant', 'user'])
    expect(JSON.stringify(messages[0])).toContain('They talked about words.')
    expect(JSON.stringify(messages)).not.toContain('Question 2')
    expect(JSON.stringify(messages[1])).toContain('Question 3')
  })

  test('[WR-22] the next one goes on from the summary, which it replaces', async () => {
    await using rig = await on(place)
    const one = rig.instance({ model })
    const id = await talk(one, 3)
    await one.compacted(await one.compact(id))
    await one.events(await one.send(id, `Question 4. ${LONG}`))
    await one.compacted(await one.compact(id))
    const request = one.model.requests.findLast((text) => text.includes('<record>'))!
    expect(request).toContain('<summary-so-far>')
    const turns = await one.messages(id)
    expect(turns.filter(({ kind }) => kind === 'compaction').map(({ archived = false }) => archived)).toEqual([
      true,
      false,
    ])
    expect(turns.at(-1)).toMatchObject({ archived_count: 3, archived_range: { from: 4, to: 5 } })
    expect(await folded(one, id)).toEqual(turns)
  })

  test('[W5.5] is refused where there is nothing to gain, and while a run is active', async () => {
    await using rig = await on(place)
    const held = holdAt('before:C9')
    const one = rig.instance({ model, at: held.at })
    const { id } = await one.create()
    await expect(one.compact(id)).rejects.toMatchObject({ code: 'compaction_not_needed' })
    const accepted = await one.send(id, 'Hello')
    await held.reached
    await expect(one.compact(id)).rejects.toMatchObject({ code: 'session_busy' })
    held.go()
    await one.events(accepted)
    await expect(one.compact(id)).rejects.toMatchObject({ code: 'compaction_not_needed' })
    await expect(one.compact('sess_none')).rejects.toMatchObject({ code: 'session_not_found' })
  })

  test('one message meanwhile waits, a second is refused; it starts with the end, under the id that was told', async () => {
    await using rig = await on(place)
    const held = holdAt('after:C10')
    const one = rig.instance({ model, at: held.at })
    const id = await talk(one, 3)
    const compact = await one.compact(id)
    await held.reached
    await expect(one.append(id, 'More')).rejects.toMatchObject({ code: 'not_running' })
    expect(await one.journal.snapshot(id)).toMatchObject({ run_id: null })
    const queued = await one.send(id, 'Next', { client_message_id: 'm1', runtime_env: { KEY: 'value' } })
    expect(queued.queued).toBe(true)
    expect(await one.send(id, 'Next', { client_message_id: 'm1' })).toMatchObject({
      run_id: queued.run_id,
      queued: true,
    })
    await expect(one.send(id, 'Other', { client_message_id: 'm1' })).rejects.toMatchObject({ code: 'invalid_payload' })
    await expect(one.send(id, 'Too many')).rejects.toMatchObject({ code: 'session_busy' })
    held.go()
    const events = await one.events(queued)
    const end = events.findIndex(({ type }) => type === 'run:quiet_end')
    expect(events[end]!.run_id).toBe(compact.run_id)
    expect(events[end + 1]).toMatchObject({ type: 'chat:start', run_id: queued.run_id })
    expect(await one.send(id, 'Next', { client_message_id: 'm1' })).toMatchObject({ run_id: queued.run_id })
    expect(
      (await one.messages(id)).filter(({ role, client_message_id }) => role === 'user' && client_message_id),
    ).toHaveLength(1)
  })

  test('[W5.4] a stop that names it fails it, and the message that waits starts', async () => {
    await using rig = await on(place)
    const never = new Promise(() => undefined)
    const one = rig.instance({
      model: (request) => (isSummary(request) ? { text: 'Half a', until: never } : model(request)),
    })
    const id = await talk(one, 3)
    const compact = await one.compact(id)
    await one.until(compact, ({ type }) => type === 'run:model_input')
    const queued = await one.send(id, 'Next')
    expect(await one.stop(id, compact.run_id)).toBe(true)
    await one.events(queued)
    const [compaction] = (await one.messages(id)).filter(({ kind }) => kind === 'compaction')
    expect(compaction).toMatchObject({ status: 'failed', failure_reason: 'stopped' })
    const { messages } = JSON.parse(one.model.requests.at(-1)!) as ModelRequest
    expect(JSON.stringify(messages)).toContain('Question 1')
  })

  test('[D3] a message that nobody can read any more ends as failed, and its sender is told', async () => {
    await using rig = await on(place)
    const held = holdAt('after:C10')
    const one = rig.instance({ model, at: held.at })
    const id = await talk(one, 3)
    const compact = await one.compact(id)
    await held.reached
    const queued = await one.send(id, 'Next', { client_message_id: 'm1' })
    await rig.sql(`UPDATE commands SET data = replace(data, '"sealed":"', '"sealed":"x') WHERE session_id = ?`, [id])
    held.go()
    await one.compacted(compact)
    const events = await one.events(queued)
    expect(dataOf(events, 'chat:end')).toMatchObject({ run_id: queued.run_id, error: { code: 'internal_error' } })
    const turns = await one.messages(id)
    expect(turns.slice(-2)).toMatchObject([
      { kind: 'compaction', status: 'completed' },
      { role: 'assistant', status: 'failed', run_id: queued.run_id },
    ])
    expect(await one.send(id, 'Next', { client_message_id: 'm1' })).toMatchObject({ run_id: queued.run_id })
    expect((await one.sessions.get(me, id)).status).toBe('failed')
    await one.events(await one.send(id, 'Again'))
    expect(await folded(one, id)).toEqual(await one.messages(id))
    expect(rig.errors).toEqual([])
  })
})

describe.each(PLACES)('[W10.11] a compaction that is carried on, on %s', (place) => {
  test('[D6] is left alone by a server that is too old for it, and so are the runs after it', async () => {
    await using rig = await on(place)
    const talker = rig.instance({ model })
    const id = await talk(talker, 3)
    const one = rig.frozenAt('after:C10', { model })
    const two = rig.instance({ model })
    const compact = await one.compact(id)
    await one.frozen
    // To this format the server of today is as old as one without compactions is to today's.
    const setFormat = (format: number) => rig.sql('UPDATE runs SET format = ? WHERE id = ?', [format, compact.run_id])
    await setFormat(RUN_FORMAT + 1)
    await rig.takeOver(id, two)
    expect(await rig.sql('SELECT owner, run_id FROM gates')).toEqual([{ owner: null, run_id: compact.run_id }])
    expect(two.model.requests).toEqual([])
    await setFormat(RUN_FORMAT)
    await two.runs.claimExpired()
    await two.compacted(compact)
    await two.events(await two.send(id, 'Next'))
    const rows = await rig.sql<{ format: number }>('SELECT format FROM runs ORDER BY first_seq')
    expect(rows.map(({ format }) => format)).toEqual([1, 1, 1, RUN_FORMAT, FORMAT_WITHOUT_CONSENT])
    expect(rig.errors).toEqual([])
  })

  test.each(['before:C10', 'after:C10', 'before:C11', 'after:C11', 'before:C9'] as const)(
    'by another instance, after the first died at %s, has ended once, and the message that waited was answered',
    async (point) => {
      await using rig = await on(place)
      const talker = rig.instance({ model })
      const id = await talk(talker, 3)
      const one = rig.frozenAt(point, { model })
      const two = rig.instance({ model })
      const compact = await one.compact(id)
      await one.frozen
      const queued = await two.send(id, 'Next')
      await rig.takeOver(id, two)
      const events = await two.events(queued)
      const turns = await two.messages(id)
      const compactions = turns.filter(({ kind }) => kind === 'compaction')
      expect(compactions.filter(({ status }) => status === 'completed')).toHaveLength(1)
      expect(compactions.filter(({ status }) => status === 'failed').map((turn) => turn.failure_reason)).toEqual(
        point === 'after:C10' || point === 'before:C11' ? ['server_stopped'] : [],
      )
      expect(events.filter(({ type, run_id }) => type === 'run:quiet_end' && run_id === compact.run_id)).toHaveLength(1)
      expect(await folded(two, id)).toEqual(turns)
      expect(rig.errors).toEqual([])
    },
  )
})
