import { expect, test } from 'vitest'
import { confirmationCardSchema, confirmationDecisionSchema, confirmationSchema } from './confirmation.ts'

const card = {
  id: 'conf_1',
  tool_call_id: 'tc_1',
  tool_name: 'Bash',
  arguments: { command: 'rm -r build' },
  risk: 'high',
  preview: 'rm -r build',
  digest: 'sha256:…',
  expires_at: '2026-01-01T00:15:00Z',
}

test('a confirmation is its card and where it stands; the card is what the question shows', () => {
  const row = {
    ...card,
    session_id: 's',
    subject: 'visitor-7',
    turn_id: 't',
    loop_id: 'root',
    status: 'pending',
    created_at: '2026-01-01T00:00:00Z',
  }
  const undecided = {
    decided_at: null,
    decided_by: null,
    decided_by_name: null,
    decision_reason: null,
    edited_arguments: null,
  }
  expect(confirmationSchema.parse(row)).toEqual({ ...row, ...undecided })
  expect(confirmationCardSchema.parse(card)).toEqual(card)
})

test('a decision is approve or reject, nothing else', () => {
  expect(confirmationDecisionSchema.parse({ decision: 'approve', edited_arguments: { command: 'ls' } })).toBeDefined()
  expect(confirmationDecisionSchema.safeParse({ decision: 'maybe' }).success).toBe(false)
})
