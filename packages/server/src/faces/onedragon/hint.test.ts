import { expect, test } from 'vitest'
import { networkFailure } from '../../models/failure.ts'
import { hintOf } from './hint.ts'

test.each([
  ['llm_error', 'rate_limit', 'Model rate limit reached(429)'],
  ['llm_error', 'timeout', 'Model timed out(504)'],
  ['llm_stream_incomplete', 'network', 'Model request failed(502)'],
  ['context_overflow', 'overflow', 'The conversation is too long for the model(502)'],
  ['tool_error', undefined, 'A tool failed(502)'],
  ['internal_error', undefined, 'Internal Server Error(500)'],
  ['what a newer server says', undefined, 'Internal Server Error(500)'],
])('[O11.2] %s (%s) is told as %s, and never in the words of whoever failed', (code, kind, hint) => {
  const error = { code, message: 'sk-secret at /home/me', ...(kind && { kind }) }
  expect(hintOf(error).hint).toBe(hint)
  expect(JSON.stringify(hintOf(error))).not.toContain('secret')
})

test('[O11.2] a silent provider is known by its failure', () => {
  expect(networkFailure('m', 'no data for 120000 ms', false).isTimeout).toBe(true)
  expect(networkFailure('m', 'connect ETIMEDOUT 192.0.2.1:443', false).isTimeout).toBe(true)
  expect(networkFailure('m', 'connect ECONNREFUSED 192.0.2.1:443', false).isTimeout).toBeUndefined()
})
