import type { TurnProjection } from '@parley/client'
import { describe, expect, test } from 'vitest'
import { sessionMessages } from './session-messages.ts'
import { messagesOfTurn } from './turn-messages.ts'

const turn = (given: Partial<TurnProjection>): TurnProjection => ({
  id: 'entry_1',
  sequence: 0,
  turn_id: 'turn_1',
  loop_id: 'root',
  kind: 'message',
  role: 'assistant',
  status: 'completed',
  blocks: [],
  tool_calls: [],
  model: null,
  usage: null,
  duration_ms: 5,
  started_at: '2026-01-01T00:00:00Z',
  context_window: 0,
  memory_refs: null,
  parent_fork_tool_call_id: null,
  failure_reason: null,
  patch_sequence: 0,
  run_id: null,
  ...given,
})
const bare = { tool_call_id: null, tool_name: null, display_name: null }
const text = (content: string) => ({ type: 'text' as const, content, ...bare })

describe('[W14.5] a turn as a message', () => {
  test('has text, reasoning, calls under `name`, and the fields of the turn', () => {
    const call = {
      ...{ id: 'tc_1', tool_name: 'Bash', display_name: 'Run', arguments: '{"command":"ls"}', status: 'done' as const },
      ...{ result: 'a', duration_ms: 1, pending_question_ref: null },
    }
    const blocks = [{ type: 'thinking' as const, content: 'hm', ...bare }, text('a'), text('b')]
    expect(messagesOfTurn(turn({ blocks, tool_calls: [call] }))).toEqual([
      {
        role: 'assistant',
        content: 'ab',
        reasoning: 'hm',
        tool_calls: [{ ...call, tool_name: undefined, name: 'Bash' }],
        status: 'completed',
        duration_ms: 5,
        entry_id: 'entry_1',
        timestamp: '2026-01-01T00:00:00Z',
        loop_name: 'root',
        blocks,
      },
    ])
  })

  test('says what was found for a message, and what an answer cites', () => {
    const source = {
      ...{ ref: 1, document_id: 'd', title: 'Returns', category: 'sales', headings: [] },
      ...{ excerpt: '30 days', score: 0.9, confidence: 'high' as const },
    }
    expect(messagesOfTurn(turn({ role: 'user', blocks: [text('how long?')], sources: [source] }))).toMatchObject([
      { role: 'user', sources: [source] },
    ])
    const [answer, ...others] = messagesOfTurn(turn({ blocks: [text('30 days [1].')], citations: [source] }))
    expect([answer?.citations, others]).toEqual([[source], []])
    expect(messagesOfTurn(turn({ blocks: [text('No.')] }))[0]).not.toHaveProperty('citations')
  })

  test('stays the same object while the turn is the same', () => {
    const same = turn({ blocks: [text('a')] })
    expect(messagesOfTurn(same)[0]).toBe(messagesOfTurn(same)[0])
  })

  test('of a user with files has its parts', () => {
    const parts = [{ type: 'text', text: 'look' }]
    expect(messagesOfTurn(turn({ role: 'user', content_parts: parts }))).toMatchObject([
      { role: 'user', content: parts },
    ])
  })

  test.each([
    ['', []],
    ['the blue one', [{ role: 'user', content: 'the blue one' }]],
  ])('of an answer with the text "%s" is %j', (message, expected) => {
    const content = { tool_call_id: 'tc_1', selections: {}, custom: {}, answers: [], message }
    const blocks = [{ type: 'ask_user_answer' as const, content, ...bare }]
    expect(messagesOfTurn(turn({ role: 'user', blocks }))).toMatchObject(expected)
    expect(messagesOfTurn(turn({ role: 'user', blocks }))).toHaveLength(expected.length)
  })

  test('of the system says what kind it is, once', () => {
    const blocks = [
      { type: 'mode_change' as const, content: { from: 'executing' as const, to: 'planning' as const }, ...bare },
      { type: 'planning_enter' as const, content: null, ...bare },
    ]
    expect(messagesOfTurn(turn({ role: 'system', blocks }))).toMatchObject([
      { kind: 'mode_change', content: '', blocks },
    ])
  })

  test('of a compaction carries its numbers', () => {
    const given = turn({ role: 'system', kind: 'compaction', summary_full: 'All of it', archived_count: 4 })
    expect(messagesOfTurn(given)).toMatchObject([
      { kind: 'compaction', compaction: { summary_full: 'All of it', archived_count: 4 } },
    ])
  })
})

describe('[W14.5] a failed turn', () => {
  const failed = { status: 'failed' as const, failure_reason: 'hung up' }

  test('that said nothing is one error with the id of its turn', () => {
    expect(messagesOfTurn(turn(failed))).toEqual([
      {
        role: 'error',
        content: 'hung up',
        entry_id: 'entry_1',
        status: 'failed',
        loop_name: 'root',
        timestamp: '2026-01-01T00:00:00Z',
      },
    ])
  })

  test('that said something keeps it, and its error has an id of its own', () => {
    const messages = messagesOfTurn(turn({ ...failed, blocks: [text('Paris is')] }))
    expect(messages.map(({ role, entry_id }) => [role, entry_id])).toEqual([
      ['assistant', 'entry_1'],
      ['error', 'entry_1:error'],
    ])
  })
})

describe('[W14.5] a session as messages', () => {
  test('sub-agents stand apart, by the call that started them', () => {
    const turns = [turn({ blocks: [text('a')] }), turn({ blocks: [text('b')], parent_fork_tool_call_id: 'tc_9' })]
    const { messages, agentLoops } = sessionMessages({ turns, status: 'completed', errorMessage: null })
    expect(messages.map(({ content }) => content)).toEqual(['a'])
    expect(agentLoops['tc_9']?.map(({ content }) => content)).toEqual(['b'])
  })

  test('a failure is told once, by its turn or at the end', () => {
    const errors = (turns: TurnProjection[]) =>
      sessionMessages({ turns, status: 'failed', errorMessage: 'The provider hung up.' })
        .messages.filter(({ role }) => role === 'error')
        .map(({ content }) => content)
    expect(errors([turn({ status: 'failed', failure_reason: 'hung up' })])).toEqual(['hung up'])
    expect(errors([turn({ role: 'user', blocks: [text('a')] })])).toEqual(['The provider hung up.'])
  })
})
