import { expect, test } from 'vitest'
import { networkFailure } from '../../models/failure.ts'
import { agentFailure } from './failures.ts'

test.each([
  [
    { code: 'llm_error', kind: 'auth' },
    { code: 'LLM_API_ERROR', recoverable: false },
  ],
  [
    { code: 'llm_error', kind: 'rate_limit' },
    { code: 'RATE_LIMIT_EXCEEDED', recoverable: true },
  ],
  [
    { code: 'llm_error', kind: 'network' },
    { code: 'NETWORK_ERROR', recoverable: true },
  ],
  [
    { code: 'llm_stream_incomplete', kind: 'network' },
    { code: 'NETWORK_ERROR', recoverable: true },
  ],
  [
    { code: 'llm_stream_incomplete', kind: 'timeout' },
    { code: 'TIMEOUT', recoverable: true },
  ],
  [
    { code: 'llm_stream_incomplete', kind: 'server' },
    { code: 'LLM_API_ERROR', recoverable: false },
  ],
  [
    { code: 'context_overflow', kind: 'overflow' },
    { code: 'CONTEXT_LENGTH_EXCEEDED', recoverable: false },
  ],
  [
    { code: 'recovery_failed', kind: undefined },
    { code: 'AGENT_CRASH', recoverable: false },
  ],
  [
    { code: 'tool_error', kind: undefined },
    { code: 'TOOL_EXECUTION_FAILED', recoverable: true },
  ],
  [
    { code: 'storage_full', kind: undefined },
    { code: 'DATABASE_ERROR', recoverable: false },
  ],
  [
    { code: 'something new', kind: undefined },
    { code: 'UNKNOWN_ERROR', recoverable: false },
  ],
])('[S13] %j is %j', ({ code, kind }, expected) => {
  expect(agentFailure(code, 'why', kind)).toEqual({ ...expected, message: 'why' })
})

test.each([
  ['no data for 30000 ms', true],
  ['Body Timeout Error', true],
  ['Headers Timeout Error', true],
  ['read ECONNRESET', undefined],
])('[S18.11] [SA21] a model that says nothing is told from one that cannot be reached: %s', (cause, isTimeout) => {
  expect(networkFailure('m', cause, true).isTimeout).toBe(isTimeout)
})
