import { expect, test } from 'vitest'
import { sqlitePlace } from './place.ts'

test.each([
  ["SELECT max(sequence) FROM turns WHERE session_id = ? AND status = 'paused' AND loop_id = ?", 'turns_by_status'],
  ['SELECT turn_id, projection FROM turns WHERE session_id = ? AND status = ? ORDER BY sequence', 'turns_by_status'],
  ['SELECT turn_id, projection FROM turns WHERE session_id = ? AND run_id = ? ORDER BY sequence', 'turns_of_run'],
])('[D8] what a run asks of its session does not look at every turn: %s', async (sql, index) => {
  await using place = await sqlitePlace()
  await using engine = await place.open()
  const plan = await engine.select<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ['s', 'x'])
  expect(plan.map(({ detail }) => detail).join()).toContain(`INDEX ${index}`)
  expect(plan.map(({ detail }) => detail).join()).not.toContain('TEMP B-TREE')
})
