import { describe, expect, test } from 'vitest'
import { assistantTurn, endedTurn, exampleRun, userTurn } from '../test/example-run.ts'
import type { SessionEvent } from './events.ts'
import type { Patch, PatchEnvelope } from './patch.ts'
import type { Projection } from './reduce.ts'
import { emptyProjection, findTurn, openQuestions, reduce, withRestTurns } from './reduce.ts'
import type { TurnProjection } from './turn.ts'
import { textOf } from './turn-text.ts'

const started = fold([turnStart(userTurn), turnStart(assistantTurn)])

test('the example run folds into the turns its turn:end events carry', () => {
  const state = fold(exampleRun)
  expect(state.turns).toEqual([userTurn, endedTurn])
  expect(state).toMatchObject({ event_seq: 12, run_id: null, status: 'completed', needsResync: false })
})

test('before its turn:end the patches alone have built the same blocks and calls', () => {
  const { blocks, tool_calls, patch_sequence } = endedTurn
  expect(turn1(fold(exampleRun.slice(0, 7)))).toMatchObject({ blocks, tool_calls, patch_sequence, status: 'streaming' })
})

describe('content', () => {
  test('[WR-2] an increment without block_index extends the last block of its type', () => {
    expect(contents(patched(text('a'), text('b')))).toEqual([['text', 'ab']])
  })

  test('[WR-2] an increment of another type than the last block opens a new one', () => {
    expect(contents(patched(thinking('hm'), text('a'), thinking('so')))).toEqual([
      ['thinking', 'hm'],
      ['text', 'a'],
      ['thinking', 'so'],
    ])
  })

  test('[WR-2] an increment extends the block its block_index names', () => {
    expect(contents(patched(thinking('hm'), text('a'), thinking('!', { block_index: 0 })))).toEqual([
      ['thinking', 'hm!'],
      ['text', 'a'],
    ])
  })

  test('[WR-2] content without text_delta is a whole new block with its tool fields', () => {
    const tool = { tool_call_id: 'tc_m', tool_name: 'map', display_name: 'Map' }
    const data = { type: 'tool_bridge', content: { action: 'map.highlight' }, ...tool }
    expect(patched(text('a'), { patch_type: 'add_content', data })?.blocks[1]).toEqual({
      type: 'tool_bridge',
      content: { action: 'map.highlight' },
      ...tool,
    })
  })

  test('[WR-3] full content beside an increment wins over concatenation', () => {
    expect(contents(patched(text('a'), text('b', { content: 'ab, whole' })))).toEqual([['text', 'ab, whole']])
  })

  test('a block_index beyond the end leaves no hole', () => {
    expect(contents(patched(text('a', { block_index: 5 })))).toEqual([['text', 'a']])
  })

  test('folding four times as many increments costs about four times as much, not sixteen', () => {
    const ratios = Array.from({ length: 5 }, () => foldingMs(40_000) / foldingMs(10_000))
    expect(Math.min(...ratios)).toBeLessThan(8)
  })
})

describe('tool calls', () => {
  test('[WR-10] a call appears in tool_calls and as a tool_use block with its parsed arguments', () => {
    const turn = patched(call('tc_1', { arguments: '{"command":"ls"}' }))
    expect(turn?.tool_calls).toEqual([
      {
        id: 'tc_1',
        tool_name: 'Bash',
        display_name: 'Run',
        arguments: '{"command":"ls"}',
        status: 'pending',
        result: null,
        duration_ms: null,
        pending_question_ref: null,
      },
    ])
    expect(turn?.blocks).toEqual([
      {
        type: 'tool_use',
        content: { command: 'ls' },
        tool_call_id: 'tc_1',
        tool_name: 'Bash',
        display_name: 'Run',
      },
    ])
  })

  test('[WR-15] results arrive in any order, tool_calls keep the model’s', () => {
    const turn = patched(call('tc_a'), call('tc_b'), result('tc_b', 2), result('tc_a', 1))
    expect(turn?.tool_calls.map(({ id, result }) => [id, result])).toEqual([
      ['tc_a', 1],
      ['tc_b', 2],
    ])
    expect(turn?.blocks.slice(2).map(({ tool_call_id }) => tool_call_id)).toEqual(['tc_b', 'tc_a'])
  })

  test('a result clears the reference to a sub-agent’s question', () => {
    const ref = { child_loop_name: 'agent:1f2e3d4c', child_tool_call_id: 'tc_cask', description: null }
    const waiting = [call('tc_1', { tool_name: 'Agent' }), toolStatus('tc_1', 'awaiting_answer', ref)]
    expect(patched(...waiting)?.tool_calls[0]?.pending_question_ref).toEqual(ref)
    expect(patched(...waiting, result('tc_1', 'ok'))?.tool_calls[0]?.pending_question_ref).toBeNull()
  })

  test('a status change without a reference leaves the reference alone and adds no block', () => {
    const ref = { child_loop_name: 'agent:1f2e3d4c', child_tool_call_id: 'tc_cask', description: null }
    const turn = patched(call('tc_1'), toolStatus('tc_1', 'awaiting_answer', ref), toolStatus('tc_1', 'cancelled'))
    expect(turn?.tool_calls[0]).toMatchObject({ status: 'cancelled', pending_question_ref: ref })
    expect(turn?.blocks).toHaveLength(1)
  })

  test('a cut result says so on the call', () => {
    const cut = { result_truncated: true, result_bytes: 70_000 }
    const data = { tool_call_id: 'tc_1', result: 'x', status: 'done', duration_ms: 1, ...cut } as const
    expect(patched(call('tc_1'), { patch_type: 'tool_result', data })?.tool_calls[0]).toMatchObject(cut)
  })

  test('a result of a call nobody announced is kept as a block', () => {
    expect(patched(result('tc_gone', 'late'))?.blocks).toMatchObject([{ content: 'late', tool_call_id: 'tc_gone' }])
  })
})

describe('order and gaps', () => {
  test('[WR-13] a patch after turn:end changes the ended turn', () => {
    const paused = { ...assistantTurn, status: 'paused', patch_sequence: 4 } as const
    const state = fold([turnStart(paused), patchEvent({ patch_type: 'set_status', data: { status: 'completed' } }, 5)])
    expect(turn1(state)).toMatchObject({ status: 'completed', patch_sequence: 5 })
  })

  test('a patch that was folded before changes nothing', () => {
    const state = fold([patchEvent(text('a'), 1)], started)
    const again = reduce(state, patchEvent(text('a'), 1))
    expect(again.turns).toBe(state.turns)
    expect(again.needsResync).toBe(false)
  })

  test('[WR-6] a hole in the patch numbers asks for a resync and changes no turn', () => {
    const state = reduce(started, patchEvent(text('b'), 2))
    expect(state).toMatchObject({ needsResync: true })
    expect(state.turns).toBe(started.turns)
  })

  test('a patch for an unknown turn asks for a resync', () => {
    expect(fold([patchEvent(text('a'), 1)])).toMatchObject({ needsResync: true, turns: [] })
  })

  test('past a gap event_seq stays, so that since still reaches what was missed', () => {
    const state = reduce({ ...started, event_seq: 40 }, patchEvent(text('b'), 2, { event_seq: 42 }))
    expect(state.event_seq).toBe(40)
    expect(fold([patchEvent(text('a'), 1, { event_seq: 41 })], state).event_seq).toBe(40)
  })

  test('a catch-up from the server closes the gap', () => {
    const gap = reduce(started, patchEvent(text('b'), 2))
    const chatStart = { session_id: 'sess_1', event_seq: 50, run_id: 'chat_1', replayed: true }
    expect(reduce(gap, { name: 'chat:start', payload: chatStart })).toMatchObject({ needsResync: false, event_seq: 50 })
  })

  test('[WR-4] a snapshot in a patch replaces the turn, whatever the patch type, also across a gap', () => {
    const turn = { ...assistantTurn, patch_sequence: 9 }
    const state = reduce(started, patchEvent({ patch_type: 'set_status', data: { status: 'streaming', turn } }, 9))
    expect(turn1(state)).toBe(turn)
    expect(state.needsResync).toBe(false)
  })

  test('[WR-4] a sync patch adds a turn nobody knew', () => {
    const state = fold([patchEvent({ patch_type: 'sync', data: { turn: assistantTurn } }, 0)])
    expect(state).toMatchObject({ turns: [assistantTurn], needsResync: false })
  })

  test('a snapshot older than what is known changes nothing', () => {
    const state = fold([patchEvent(text('a'), 1), patchEvent(text('b'), 2)], started)
    const old = patchEvent({ patch_type: 'sync', data: { turn: { ...assistantTurn, patch_sequence: 1 } } }, 1)
    expect(reduce(state, old).turns).toBe(state.turns)
  })

  test('[WR-7] turns stand in the order of their sequence, however they arrive', () => {
    const turns = [3, 0, 2, 1].map((sequence) => ({ ...userTurn, sequence, turn_id: `turn_${sequence}` }))
    expect(fold(turns.map(turnStart)).turns.map(({ sequence }) => sequence)).toEqual([0, 1, 2, 3])
  })

  test('a server without patch numbers is still folded', () => {
    const { patch_sequence: _absent, ...bare } = assistantTurn
    const state = fold([turnStart(bare as TurnProjection), patchEvent(text('a'), 1), patchEvent(text('b'), 2)])
    expect(textOf(turn1(state)!)).toBe('ab')
    const read = withRestTurns(fold([turnStart(bare as TurnProjection)]), [{ ...assistantTurn, patch_sequence: 2 }])
    expect(turn1(read)).toMatchObject({ patch_sequence: 2 })
  })
})

describe('session', () => {
  const question = { tool_call_id: 'tc_ask', turn_id: 'turn_1', loop_id: 'root', arguments: {} }
  const paused = fold([
    { name: 'chat:start', payload: { ...seq(1), run_id: 'chat_1' } },
    chatEnd({ session_status: 'waiting_for_input', pause_tool: 'AskUserQuestion', pause_tool_data: question }),
  ])

  test('a run is active from chat:start to chat:end', () => {
    const running = fold([{ name: 'chat:start', payload: { ...seq(1), run_id: 'chat_1' } }])
    expect(running).toMatchObject({ run_id: 'chat_1', status: 'running' })
    expect(reduce(running, chatEnd({}))).toMatchObject({ run_id: null, status: 'completed' })
  })

  test('[WR-24] a pause is told by session_status, and its question is kept', () => {
    expect(paused).toMatchObject({ status: 'waiting_for_input', pending_question: question })
  })

  test('[WR-41] stopping while a question waits forgets the question without a chat:end', () => {
    const waiting: SessionEvent = { name: 'session:updated', payload: { ...seq(2), status: 'waiting_for_input' } }
    const stopped: SessionEvent = { name: 'session:updated', payload: { ...seq(3), status: 'interrupted' } }
    expect(reduce(paused, waiting).pending_question).toEqual(question)
    expect(fold([waiting, stopped], paused)).toMatchObject({ status: 'interrupted', pending_question: null })
  })

  test('the next run forgets the question', () => {
    const next: SessionEvent = { name: 'chat:start', payload: { ...seq(3), run_id: 'chat_2' } }
    expect(reduce(paused, next).pending_question).toBeNull()
  })

  test('session:updated changes only the fields it has', () => {
    const renamed: SessionEvent = { name: 'session:updated', payload: { ...seq(2), intent: 'Report' } }
    const planning: SessionEvent = { name: 'session:updated', payload: { ...seq(3), mode: 'planning', model: 'm' } }
    expect(fold([renamed, planning], paused)).toMatchObject({
      intent: 'Report',
      mode: 'planning',
      model: 'm',
      status: 'waiting_for_input',
    })
  })

  test('task:updated replaces the whole list, session:deleted is remembered', () => {
    const task = {
      id: 't',
      title: 'One',
      description: null,
      status: 'pending',
      created_at: '',
      updated_at: '',
    } as const
    const tasks: SessionEvent = { name: 'task:updated', payload: { ...seq(2), tasks: [task] } }
    const deleted: SessionEvent = { name: 'session:deleted', payload: seq(3) }
    expect(fold([tasks, deleted])).toMatchObject({ tasks: [task], isDeleted: true })
  })

  test('an event without consequences for the projection only moves event_seq', () => {
    const changed: SessionEvent = { name: 'workspace:files_changed', payload: { ...seq(9), file_path: null } }
    expect(reduce(started, changed)).toEqual({ ...started, event_seq: 9 })
  })

  test('[WR-33] a sub-agent’s question is found while the run goes on, oldest first', () => {
    const args = '{"questions":[]}'
    const child = { ...assistantTurn, turn_id: 'turn_2', sequence: 2, loop_id: 'agent:1f2e3d4c' }
    const ask = (id: string) => call(id, { tool_name: 'AskUserQuestion', arguments: args, status: 'awaiting_answer' })
    const state = fold(
      [turnStart(child), patchEvent(ask('tc_b'), 1, { turn_id: 'turn_2' }), patchEvent(ask('tc_a'), 1)],
      started,
    )
    expect(openQuestions(state.turns)).toEqual([
      { tool_call_id: 'tc_a', turn_id: 'turn_1', loop_id: 'root', arguments: { questions: [] } },
      { tool_call_id: 'tc_b', turn_id: 'turn_2', loop_id: 'agent:1f2e3d4c', arguments: { questions: [] } },
    ])
    expect(openQuestions(reduce(state, patchEvent(toolStatus('tc_a', 'cancelled'), 2)).turns)).toHaveLength(1)
  })

  test('a call that waits for consent is not a question', () => {
    const waiting = patchEvent(call('tc_1', { status: 'awaiting_answer' }), 1)
    expect(openQuestions(reduce(started, waiting).turns)).toEqual([])
  })
})

describe('[W6.11] feedback', () => {
  const by = { user_id: 'user_1', updated_at: '2026-01-01T00:00:00Z' }
  const given = (value: 'like' | 'dislike' | null, turn_id = 'turn_1'): SessionEvent => ({
    name: 'feedback:given',
    payload: { ...seq(3), turn_id, value, comment: null, ...by },
  })
  const liked = reduce(fold(exampleRun), given('like'))

  test('stands on its turn until it is changed or taken back, and moves event_seq', () => {
    expect(turn1(liked)).toEqual({ ...endedTurn, feedback: { value: 'like', comment: null, ...by } })
    expect(liked.event_seq).toBe(3)
    expect(turn1(reduce(liked, given('dislike')))?.feedback?.value).toBe('dislike')
    expect(turn1(reduce(liked, given(null)))?.feedback).toBeNull()
  })

  test('stays when the turn itself is told again, which is always told without', () => {
    const end = exampleRun.findLast(({ name }) => name === 'turn:end')!
    const snapshot = patchEvent({ patch_type: 'sync', data: { turn: endedTurn } }, endedTurn.patch_sequence)
    for (const again of [end, snapshot]) expect(turn1(reduce(liked, again))?.feedback?.value).toBe('like')
    expect(turn1(reduce(reduce(liked, given(null)), end))?.feedback ?? null).toBeNull()
  })

  test('goes by what is read over REST, and of a turn that was never read changes nothing', () => {
    expect(turn1(withRestTurns(liked, [endedTurn]))?.feedback).toBeUndefined()
    expect(reduce(liked, given('like', 'turn_9'))).toEqual(liked)
  })
})

describe('turns read over REST', () => {
  test('an older picture is not taken, a newer or equal one is', () => {
    const state = fold([patchEvent(text('a'), 1), patchEvent(text('b'), 2)], started)
    const at = (patch_sequence: number) => ({ ...assistantTurn, patch_sequence, archived: true })
    expect(withRestTurns(state, [at(1)])).toBe(state)
    expect(turn1(withRestTurns(state, [at(2)]))).toMatchObject({ archived: true })
    expect(turn1(withRestTurns(state, [at(3)]))).toMatchObject({ patch_sequence: 3 })
  })

  test('a picture taken before turn:end does not make an ended turn stream again', () => {
    const state = fold(exampleRun)
    expect(withRestTurns(state, [{ ...endedTurn, status: 'streaming' }])).toBe(state)
  })

  test('unknown turns are put in their place, and the gap counts as closed', () => {
    const gap = fold([turnStart({ ...userTurn, sequence: 5, turn_id: 'turn_5' }), patchEvent(text('b'), 2)])
    const state = withRestTurns(gap, [assistantTurn, userTurn])
    expect(state.turns.map(({ sequence }) => sequence)).toEqual([0, 1, 5])
    expect(state.needsResync).toBe(false)
    expect(withRestTurns(gap, []).needsResync).toBe(false)
  })
})

test('what an event does not touch stays the same object', () => {
  const before = fold([patchEvent(thinking('hm'), 1), patchEvent(call('tc_1'), 2), patchEvent(text('a'), 3)], started)
  const after = reduce(before, patchEvent(text('b'), 4))
  expect(after.turns[0]).toBe(before.turns[0])
  expect(turn1(after)?.tool_calls).toBe(turn1(before)?.tool_calls)
  expect(turn1(after)?.blocks.map((block, index) => block === turn1(before)?.blocks[index])).toEqual([
    true,
    true,
    false,
  ])
  expect(after.tasks).toBe(before.tasks)
})

test('a turn is found by its id, and an unknown id finds nothing', () => {
  expect(findTurn(started, 'turn_0')?.role).toBe('user')
  expect(findTurn(started, 'turn_9')).toBeUndefined()
})

function fold(events: readonly SessionEvent[], from: Projection = emptyProjection): Projection {
  return events.reduce(reduce, from)
}

function patched(...patches: Patch[]): TurnProjection | undefined {
  return turn1(
    fold(
      patches.map((patch, index) => patchEvent(patch, index + 1)),
      started,
    ),
  )
}

function turn1(state: Projection) {
  return findTurn(state, 'turn_1')
}

function contents(turn: TurnProjection | undefined) {
  return turn?.blocks.map(({ type, content }) => [type, content])
}

function turnStart(turn: TurnProjection): SessionEvent {
  return { name: 'turn:start', payload: { ...turn, ...seq(1), solution_id: null, template_id: null } }
}

function patchEvent(patch: Patch, sequence: number, where: Partial<PatchEnvelope> = {}): SessionEvent {
  const envelope = { ...seq(1), sequence, turn_id: 'turn_1', loop_id: 'root' }
  return { name: 'turn:patch', payload: { ...envelope, ...patch, ...where } as PatchEnvelope }
}

function chatEnd(fields: object): SessionEvent {
  const nothing = { result: null, run_id: 'chat_1', pause_tool: null, pause_tool_data: null, error: null, usage: null }
  const payload = { ...seq(2), status: 'completed', finish_reason: 'completed', ...nothing, ...fields } as const
  return { name: 'chat:end', payload }
}

function seq(event_seq: number) {
  return { session_id: 'sess_1', event_seq }
}

function text(text_delta: string, more: object = {}): Patch {
  return { patch_type: 'add_content', data: { type: 'text', text_delta, ...more } }
}

function thinking(text_delta: string, more: object = {}): Patch {
  return { patch_type: 'add_content', data: { type: 'thinking', text_delta, ...more } }
}

function call(id: string, more: object = {}): Patch {
  const data = { id, tool_name: 'Bash', display_name: 'Run', arguments: '{}', status: 'pending', ...more } as const
  return { patch_type: 'add_tool_call', data }
}

function result(tool_call_id: string, value: unknown): Patch {
  return { patch_type: 'tool_result', data: { tool_call_id, result: value, status: 'done', duration_ms: 1 } }
}

function toolStatus(
  tool_call_id: string,
  status: 'awaiting_answer' | 'cancelled',
  pending_question_ref?: object,
): Patch {
  const data = pending_question_ref ? { tool_call_id, status, pending_question_ref } : { tool_call_id, status }
  return { patch_type: 'set_tool_status', data } as Patch
}

/** Processor time, so that a busy machine changes nothing. */
function foldingMs(increments: number): number {
  const before = process.cpuUsage()
  let turn: Projection = started
  for (let sequence = 1; sequence <= increments; sequence++) turn = reduce(turn, patchEvent(text('word '), sequence))
  expect(textOf(turn1(turn)!)).toHaveLength(increments * 5)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

describe('[W10.11] a compaction that is complete', () => {
  const at = (sequence: number, more: Partial<TurnProjection> = {}): TurnProjection => ({
    ...assistantTurn,
    turn_id: `t${sequence}`,
    sequence,
    status: 'completed',
    ...more,
  })
  const compaction = (sequence: number, archived_range: TurnProjection['archived_range'], more = {}) =>
    at(sequence, { kind: 'compaction', role: 'system', archived_range, ...more })
  const envelope = { session_id: 's', event_seq: 0, solution_id: null, template_id: null }
  const ended = (turns: readonly TurnProjection[]) =>
    turns.reduce(
      (state, turn) => reduce(state, { name: 'turn:end', payload: { ...turn, ...envelope } }),
      emptyProjection,
    )
  const archived = (turns: readonly TurnProjection[]) =>
    ended(turns).turns.flatMap(({ sequence, archived: isArchived }) => (isArchived ? [sequence] : []))

  test('archives its range, but for what it kept, and nothing of another loop', () => {
    const turns = [at(0), at(1), at(2, { loop_id: 'agent:1' }), at(3), at(4)]
    expect(archived([...turns, compaction(5, { from: 0, to: 3, kept: [1] })])).toEqual([0, 3])
  })

  test('takes the place of the one before', () => {
    const first = compaction(3, { from: 0, to: 1, kept: [] })
    expect(archived([at(0), at(1), at(2), first, at(4), compaction(5, { from: 2, to: 2, kept: [] })])).toEqual([
      0, 1, 2, 3,
    ])
  })

  test.each(['failed', 'streaming', 'interrupted'] as const)('changes nothing when it is %s', (status) => {
    expect(archived([at(0), compaction(1, { from: 0, to: 0, kept: [] }, { status })])).toEqual([])
  })
})
