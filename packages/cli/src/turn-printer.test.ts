import type { TurnProjection } from '@parley/protocol'
import { expect, test } from 'vitest'
import { createStyle } from './terminal.ts'
import { TurnPrinter } from './turn-printer.ts'
import { wordsOf } from './words.ts'

function printed(...pictures: TurnProjection[][]): string {
  let output = ''
  const printer = new TurnPrinter({
    style: createStyle(false),
    words: wordsOf('en'),
    write: (text) => (output += text),
  })
  for (const turns of pictures) printer.update(turns)
  printer.endLine()
  return output
}

function turn(blocks: object[], fields: object = {}): TurnProjection {
  const turn = {
    turn_id: 'turn_1',
    role: 'assistant',
    status: 'streaming',
    tool_calls: [],
    parent_fork_tool_call_id: null,
  }
  return { ...turn, blocks, ...fields } as unknown as TurnProjection
}

const text = (content: string) => ({ type: 'text', content })
const child = { turn_id: 'turn_2', parent_fork_tool_call_id: 'tc_1' }

test('text appears once, as it grows', () => {
  expect(
    printed([turn([text('Par')])], [turn([text('Paris')])], [turn([text('Paris')], { status: 'completed' })]),
  ).toBe('Paris\n')
})

test('a picture that skipped some increments loses nothing', () => {
  expect(printed([turn([text('a')])], [turn([text('abcd'), text('next')])])).toBe('abcd\nnext\n')
})

test('thinking is announced, and the answer starts on a line of its own', () => {
  const blocks = [{ type: 'thinking', content: 'hm' }, text('Yes.')]
  expect(printed([turn(blocks)])).toBe('thinking: hm\nYes.\n')
})

test('a tool shows its name and what it does, then how it went', () => {
  const call = {
    id: 'tc_1',
    tool_name: 'Bash',
    display_name: 'Run',
    arguments: '{"command":"ls -la"}',
    status: 'done',
    duration_ms: 120,
  }
  const blocks = [
    { type: 'tool_use', content: {}, tool_call_id: 'tc_1' },
    { type: 'tool_result', content: 'total 48\nmore', tool_call_id: 'tc_1' },
  ]
  expect(printed([turn(blocks, { tool_calls: [call] })])).toBe('● Run  ls -la\n✓ total 48… 120 ms\n')
})

test.each([
  { ok: true, _meta: { ui: { resourceHTML: '<!doctype html><p>chart</p>' } } },
  '{"ok":true,"_meta":{"ui":{"resourceHTML":"<!doctype html><p>chart</p>"}}}',
])('a card is named, and its HTML is not printed', (content) => {
  const call = { id: 'tc_1', tool_name: 'RenderChart', display_name: 'Show chart', arguments: '{}', status: 'done' }
  const blocks = [{ type: 'tool_result', content, tool_call_id: 'tc_1' }]
  expect(printed([turn(blocks, { tool_calls: [call] })])).toBe('✓ a card; the chat in the browser shows it\n')
})

test('a sub-agent’s lines appear when they are whole, set apart from the others', () => {
  const parent = turn([text('Working')])
  expect(
    printed(
      [parent, turn([text('one\ntw')], child)],
      [parent, turn([text('one\ntwo')], { ...child, status: 'completed' })],
    ),
  ).toBe('Working\n│ one\n│ two\n')
})

test('what users typed themselves is not printed again', () => {
  expect(printed([turn([text('hello')], { role: 'user' })])).toBe('')
})

test('a model cannot send escape sequences to the terminal', () => {
  expect(printed([turn([text('\u001b[2J\u0007ok\r\n')])])).toBe('\\x1b[2J\\x07ok\n')
})

const source = (ref: number, fields: object = {}) => ({
  ...{ ref, document_id: 'd', title: 'Returns', category: 'sales', headings: ['Returns', 'Deadlines'] },
  ...{ excerpt: '', score: 1, confidence: 'high' },
  ...fields,
})

test('below an answer stands where it has it from, once', () => {
  const cited = { status: 'completed', citations: [source(1), source(3, { title: null, headings: ['A\u001b[2J'] })] }
  expect(
    printed(
      [turn([text('30 days [1].')])],
      [turn([text('30 days [1].')], cited)],
      [turn([text('30 days [1].')], cited)],
    ),
  ).toBe('30 days [1].\nSources: [1] Returns › Deadlines · [3] sales › A\\x1b[2J\n')
})

test('an answer that cites nothing names no source', () => {
  expect(printed([turn([text('Hello.')], { status: 'completed', citations: [] })])).toBe('Hello.\n')
  expect(printed([turn([text('Hello.')], { status: 'completed', sources: [source(1)] })])).toBe('Hello.\n')
})
