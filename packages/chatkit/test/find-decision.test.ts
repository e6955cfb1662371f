import { ParleyClient } from '@parley/client'
import { expect, test } from 'vitest'
import { findDecision } from '../src/adapters/parley/find-decision.ts'
import { parleyError } from '../src/adapters/parley/parley-error.ts'
import { json, startStandIn } from './stand-in.ts'

const answer = { confirmationId: 'conf_1', approved: true }

const late = { code: 'already_decided', detail: 'late' }
const at = '2026-11-18T14:20:00Z'
const CASES = [
  {
    what: 'somebody was faster',
    status: 409,
    body: { ...late, decision: 'rejected', decided_by: 'u1', decided_by_name: 'Mei Lin', decided_at: at },
    decision: { outcome: 'rejected', by: 'Mei Lin', at },
  },
  {
    what: 'an older server has no names',
    status: 409,
    body: { ...late, decision: 'approved', decided_by: 'u1', decided_at: at },
    decision: { outcome: 'approved', by: 'u1', at },
  },
  {
    what: 'nobody decided in time',
    status: 409,
    body: { ...late, decision: 'expired', decided_by: null, decided_at: null },
    decision: { outcome: 'expired' },
  },
  {
    what: 'it waited after all',
    status: 200,
    body: { id: 'conf_1', status: 'approved', decided_by: 'u2', decided_at: at },
    decision: { outcome: 'approved', by: 'u2', at },
  },
  { what: 'it is nobody’s', status: 404, body: { code: 'not_found', detail: 'no' }, decision: undefined },
]

test.each(CASES)('[D5] a decision that is not waited for any more: $what', async ({ status, body, decision }) => {
  const asked: unknown[] = []
  await using server = await startStandIn(({ path, body: sent }, response) => {
    asked.push([path, sent])
    return json(response, status, body)
  })
  const { api } = new ParleyClient({ baseUrl: server.url, token: 't' })
  const error = await findDecision(parleyError({ code: 'ask_not_pending' }), answer, api)
  expect(error.decision).toEqual(decision)
  expect(error.isNotWaiting).toBe(true)
  expect(asked).toEqual([['/api/confirmations/conf_1', { decision: 'approve' }]])
})

test('[D5] any other failure is left as it is, and nothing is asked', async () => {
  await using server = await startStandIn(() => expect.unreachable())
  const { api } = new ParleyClient({ baseUrl: server.url, token: 't' })
  const error = parleyError({ code: 'session_busy' })
  expect(await findDecision(error, answer, api)).toBe(error)
  expect(error.decision).toBeUndefined()
})
