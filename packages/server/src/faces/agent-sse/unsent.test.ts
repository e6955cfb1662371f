import type { AgentEvent } from '@parley/protocol/agent-sse'
import { expect, test } from 'vitest'
import type { Shown } from './encoding.ts'
import { Unsent } from './unsent.ts'

const chunk = (n: number, content: string, isComplete = false): AgentEvent => ({
  ...{
    id: `evt_1704067200000_${n}`,
    type: 'content_chunk',
    timestamp: n,
    sessionId: 's',
    data: { content, isComplete },
  },
})

test('[S10.9] pieces of text side by side become one, with the place and the word of the last; nothing else does', () => {
  const started: AgentEvent = {
    ...{ id: 'evt_1704067200000_4', type: 'iteration_started', timestamp: 4, sessionId: 's' },
    data: { iteration: 2, maxIterations: 10 },
  }
  const page: Shown[] = [
    chunk(1, 'a'),
    chunk(2, 'b'),
    chunk(3, 'c'),
    started,
    chunk(5, 'd'),
    chunk(6, '', true),
    { over: 'r' },
  ]
  expect(allOf(page, { mayMerge: true })).toEqual([chunk(3, 'abc'), started, chunk(6, 'd', true), { over: 'r' }])
  expect(page[0]).toEqual(chunk(1, 'a'))
  expect(allOf(page, { mayMerge: false })).toEqual(page)
})

test('what waits is counted in bytes, merged or not, and is nothing once it was taken', () => {
  const unsent = new Unsent()
  unsent.put(chunk(1, '第一'), { mayMerge: true })
  const alone = unsent.bytes
  expect(alone).toBeGreaterThan(100)
  unsent.put(chunk(2, '字'), { mayMerge: true })
  expect(unsent.bytes).toBe(alone + 3)
  unsent.put(chunk(3, '字'), { mayMerge: false })
  expect(unsent.bytes).toBe(2 * alone)
  expect(unsent.take()).toEqual(chunk(2, '第一字'))
  unsent.take()
  expect(unsent.bytes).toBe(0)
})

function allOf(page: readonly Shown[], options: { mayMerge: boolean }): Shown[] {
  const unsent = new Unsent()
  for (const shown of page) unsent.put(shown, options)
  return page.flatMap(() => unsent.take() ?? [])
}
