import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChatMessage } from '../model/chat-message.ts'
import type { ChatOp } from '../model/chat-op.ts'
import { applyOps, closeBlocks } from './apply-ops.ts'

const empty: ChatMessage = { messageID: 'm', role: { name: '', type: 'Assistant', avatar: '' }, content: [] }
const shape = ({ content }: ChatMessage) => content.map(({ type, content }) => [type, content])
const tool = (status: string, key = 'k'): ChatOp => ({
  op: 'block',
  block: { type: 'Tool', key, content: { name: 'f', title: 'f', status } },
})

const anyOp = fc.oneof(
  fc.record({
    op: fc.constant('text_delta' as const),
    key: fc.constantFrom('a', 'b'),
    delta: fc.string({ maxLength: 4 }),
  }),
  fc.record({ op: fc.constant('text' as const), key: fc.constantFrom('a', 'b'), text: fc.string({ maxLength: 4 }) }),
  fc.record({
    op: fc.constant('reasoning_delta' as const),
    key: fc.constantFrom('a', 'r'),
    delta: fc.string({ maxLength: 4 }),
  }),
  fc.constantFrom(tool('pending'), tool('done'), tool('done', 'a')),
  fc.record({ op: fc.constant('context' as const), patch: fc.record({ totalTokens: fc.nat(3) }) }),
)

test('[K23.4] text, tool, text with keys of their own are three blocks, in order of first appearance', () => {
  const ops: ChatOp[] = [
    { op: 'text_delta', key: '0', delta: 'a' },
    tool('pending'),
    { op: 'text_delta', key: '1', delta: 'b' },
    { op: 'text_delta', key: '0', delta: 'c' },
    tool('done'),
  ]
  expect(shape(applyOps(empty, ops))).toEqual([
    ['Markdown', 'ac'],
    ['Tool', { name: 'f', title: 'f', status: 'done' }],
    ['Markdown', 'b'],
  ])
})

test('[K7.2] a complete text replaces, also with a shorter one; an empty one makes no block', () => {
  const long = applyOps(empty, [{ op: 'text', key: 't', text: 'long text' }])
  expect(shape(applyOps(long, [{ op: 'text', key: 't', text: 'x' }]))).toEqual([['Markdown', 'x']])
  expect(
    applyOps(empty, [
      { op: 'text', key: 't', text: '' },
      { op: 'text_delta', key: 'u', delta: '' },
    ]),
  ).toBe(empty)
})

test('[K7.1] an upsert that changes nothing is no change', () => {
  const message = applyOps(empty, [
    tool('done'),
    { op: 'text', key: 't', text: 'x' },
    { op: 'context', patch: { totalTokens: 1 } },
  ])
  expect(
    applyOps(message, [
      tool('done'),
      { op: 'text', key: 't', text: 'x' },
      { op: 'context', patch: { totalTokens: 1 } },
    ]),
  ).toBe(message)
})

test('[law] ops at once, one by one or in any groups give the same message', () => {
  fc.assert(
    fc.property(fc.array(anyOp, { maxLength: 20 }), fc.array(fc.nat(20), { maxLength: 4 }), (ops, cuts) => {
      const edges = [0, ...cuts.map((cut) => Math.min(cut, ops.length)).sort((a, b) => a - b), ops.length]
      const grouped = edges
        .slice(1)
        .reduce((message, edge, index) => applyOps(message, ops.slice(edges[index], edge)), empty)
      expect(grouped).toEqual(applyOps(empty, ops))
    }),
  )
})

test('[law] what an op does not touch stays the same object, and the message before is never written to', () => {
  fc.assert(
    fc.property(fc.array(anyOp, { maxLength: 10 }), anyOp, (before, op) => {
      const message = applyOps(empty, before)
      const copy = structuredClone(message)
      const after = applyOps(message, [op])
      expect(message).toEqual(copy)
      const touched = op.op === 'block' ? op.block.key : 'key' in op ? op.key : undefined
      for (const block of message.content) if (block.key !== touched) expect(after.content).toContain(block)
      const keys = after.content.map(({ key }) => key)
      expect(new Set(keys).size).toBe(keys.length)
    }),
  )
})

test.each([
  ['completed', 'done'],
  ['stopped', 'cancelled'],
  ['failed', 'cancelled'],
] as const)('[K5.9] at the end of a %s run an open call is %s', (status, closed) => {
  const message = applyOps(empty, [tool('pending'), tool('error', 'e')])
  expect(shape(closeBlocks(message, status))).toMatchObject([
    ['Tool', { status: closed }],
    ['Tool', { status: 'error' }],
  ])
})

test('[K7.1] a new block stands behind the one that it names, else at the end; one that is there stays where it is', () => {
  const block = (key: string, after?: string): ChatOp => ({
    op: 'block',
    block: { type: 'Notice', key, content: { text: key, level: 'info' } },
    ...(after && { after }),
  })
  const keys = (...ops: ChatOp[]) => applyOps(keyless, ops).content.map(({ key }) => key)
  const keyless: ChatMessage = { ...empty, content: [{ type: 'Markdown', content: 'from the history' }] }
  const first = [block('a'), block('b')]
  expect(keys(...first, block('c', 'a'))).toEqual([undefined, 'a', 'c', 'b'])
  expect(keys(...first, block('c', 'nobody'))).toEqual([undefined, 'a', 'b', 'c'])
  expect(keys(...first, block('b', 'nobody'), block('a', 'b'))).toEqual([undefined, 'a', 'b'])
})
