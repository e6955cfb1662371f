import { expect, test } from 'vitest'
import { AgentError, ERROR_STATUS, isAgentError, isErrorCode } from './errors.ts'

test('an error carries code, details and cause, and its message for people', () => {
  const cause = new Error('socket closed')
  const error = new AgentError('session_busy', 'Session s is already running.', { details: { run_id: 'r' }, cause })
  expect(error).toMatchObject({ code: 'session_busy', details: { run_id: 'r' }, name: 'AgentError', cause })
  expect(error.message).toBe('Session s is already running.')
  expect('cause' in new AgentError('timeout', 'Late.')).toBe(false)
  expect(ERROR_STATUS[error.code]).toBe(409)
})

test('an error of another copy of this package is recognised by its code', () => {
  const other = Object.assign(new Error('busy'), { code: 'session_busy', details: null })
  expect(isAgentError(other)).toBe(true)
  expect(isAgentError(other, 'session_busy')).toBe(true)
  expect(isAgentError(other, 'timeout')).toBe(false)
})

test.each([[null], ['session_busy'], [new Error('x')], [Object.assign(new Error('x'), { code: 'ENOENT' })]])(
  '%s is no error of ours',
  (value) => expect(isAgentError(value)).toBe(false),
)

test('names every object has are no error codes', () => {
  expect(['llm_error', 'toString', 502].map(isErrorCode)).toEqual([true, false, false])
})
