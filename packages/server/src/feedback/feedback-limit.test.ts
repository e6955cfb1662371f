import { expect, test } from 'vitest'
import { FEEDBACK_PER_MINUTE, FeedbackLimit } from './feedback-limit.ts'

test('[W11.7] the minute is over when it is over, and what is remembered has an end', () => {
  let now = 0
  const limit = new FeedbackLimit(() => now)
  const use = (session_id: string) => {
    for (let n = 0; n < FEEDBACK_PER_MINUTE; n++) limit.demandRoom(session_id)
  }
  use('sess_1')
  now = 59_001
  expect(() => limit.demandRoom('sess_1')).toThrow('Try again in 1 s.')
  limit.demandRoom('sess_2')
  now = 60_000
  use('sess_1')
  expect(() => limit.demandRoom('sess_1')).toThrow('Try again in 60 s.')
  for (let n = 0; n < 20_000; n++) limit.demandRoom(`sess_many_${n}`)
  expect(limit.size).toBe(10_000)
})
