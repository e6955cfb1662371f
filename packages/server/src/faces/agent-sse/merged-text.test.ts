import type { AgentEvent } from '@parley/protocol/agent-sse'
import { expect, test } from 'vitest'
import type { Shown } from './encoding.ts'
import { mergedText } from './merged-text.ts'

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
  expect(mergedText(page)).toEqual([chunk(3, 'abc'), started, chunk(6, 'd', true), { over: 'r' }])
  expect(page[0]).toEqual(chunk(1, 'a'))
})
