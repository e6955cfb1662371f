import type { Outcome } from '../../core/loop-events.ts'
import { runLoop } from '../../core/run-loop.ts'
import { gateAndCommands } from '../../store/gate.ts'
import type { Work } from '../../store/work.ts'
import { applyCommands } from './apply-commands.ts'
import type { DriveOptions } from './drive-options.ts'
import { endOfRun } from './end-run.ts'
import { record } from './record.ts'
import { appendPending } from './run-journal.ts'

/**
 * Drives the loop and puts on record what it does, each step before the next one. Returns once the run's end is stored,
 * or `handed_back` when somebody else shall go on.
 */
export async function driveRun(options: DriveOptions): Promise<'ended' | 'handed_back'> {
  const { loop, env, active, journal } = options
  // With the message that caused a fresh run, its first call is on record.
  // Unless none is left: then what was agreed to is done, and the limit reached.
  loop.isIntended = options.isFresh && env.maxTurns > 0
  for (;;) {
    const events = runLoop(loop, env)
    let next = await events.next()
    try {
      while (!next.done) {
        await record(next.value, options)
        next = await events.next()
      }
    } catch (error) {
      active.stop('lost')
      await events.return({ status: 'handed_back' }).catch(() => undefined)
      throw error
    }
    const outcome = next.value
    if (outcome.status === 'handed_back') {
      await journal.stored()
      return 'handed_back'
    }
    if ((await end(outcome, options)) === 'ended') return 'ended'
  }
}

/** C9, unless somebody has stopped the run, or added something that must be answered first. */
async function end(
  outcome: Exclude<Outcome, { status: 'handed_back' }>,
  options: DriveOptions,
): Promise<'ended' | 'go on'> {
  const { journal, lease, active, at } = options
  await applyCommands(options)
  if (goesOn(outcome, options)) return 'go on'
  await at('before:C9')
  const result = await options.inTurn(async () => {
    // A hint may have had something applied since.
    if (goesOn(outcome, options)) return 'asked'
    return journal.commit(function* (append): Work<'ended' | 'stopped' | 'asked'> {
      const { stop_requested, commands } = yield* gateAndCommands(lease)
      const isStopped = stop_requested === 1 && outcome.status !== 'interrupted'
      if (isStopped || commands > 0) {
        yield* appendPending(append)
        return isStopped ? 'stopped' : 'asked'
      }
      const refs = outcome.status === 'paused' ? outcome.refs : []
      yield* endOfRun({ ...options, append, outcome, refs, isOverdue: active.reason === 'overdue' })
      return 'ended'
    })
  })
  await at('after:C9')
  if (result === 'ended') return 'ended'
  if (result === 'asked') return end(outcome, options)
  // The loop closes what still waits for a person, and comes back as interrupted.
  active.stop('stop')
  return 'go on'
}

/** An added message or an answer means that the run has more to do, unless it may do no more. */
function goesOn(outcome: Outcome, { active }: DriveOptions): boolean {
  if (outcome.status === 'completed') return active.hasMessages && outcome.finish_reason === 'completed'
  if (outcome.status !== 'paused') return false
  return outcome.refs.some(({ child_tool_call_id }) => active.answerTo(child_tool_call_id) !== undefined)
}
