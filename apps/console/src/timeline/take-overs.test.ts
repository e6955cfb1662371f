import { expect, test } from 'vitest'
import { RecordedRun } from './recorded-run.ts'
import { takeOversIn } from './take-overs.ts'

test('[G5.1] a take-over stands after the turn that was being told, with how long nobody worked', () => {
  const run = new RecordedRun().accept()
  const turn = run.announce()
  run.text(turn, 'Half an').takeOver(10_500)
  run.endTurn(turn, 'interrupted', 'server_stopped').callModel()
  const next = run.announce()
  run.text(next, 'A whole answer').endTurn(next).end()
  expect(takeOversIn(run.events, 'run_1')).toMatchObject([{ turn_id: turn, instance: 'parley-b', ms: 10_500 }])
})

test('[G5.1] the work of sub-agents is in no message: the line stands after the turn that they work for', () => {
  const run = new RecordedRun().accept()
  const turn = run.announce()
  const [call] = run.answer(turn, ['Agent'])
  const inner = run.announce({ loop_id: 'loop_inner', parent: call! })
  run.text(inner, 'Looking').takeOver(2_000)
  expect(takeOversIn(run.events, 'run_1')).toMatchObject([{ turn_id: turn, ms: 2_000 }])
})

test('[G5.1] a run that its first owner ended has no line', () => {
  const run = new RecordedRun().accept()
  const turn = run.announce()
  run.text(turn, 'Whole').endTurn(turn).end()
  expect(takeOversIn(run.events, 'run_1')).toEqual([])
})
