import { ROOT_LOOP } from '@parley/protocol'
import type { RunError } from '../../core/loop-events.ts'
import { say } from '../../words/phrases.ts'
import type { DriveOptions } from './drive-options.ts'
import { endQuietRun } from './end-quiet.ts'
import { record } from './record.ts'

/** A run that only makes room: one compaction, then its end, and with that the message that waits for it. */
export async function driveCompact(options: DriveOptions): Promise<'ended' | 'handed_back'> {
  const { env, loop, journal } = options
  // Its deed is done already where only the word that it is over was lost.
  if (!isDone(options)) {
    if (env.isDraining()) return handBack(options)
    const events = env.compaction!.compact(loop, 'manual')
    let next = await events.next()
    while (!next.done) {
      await record(next.value, options)
      next = await events.next()
    }
    if (env.signal.aborted && env.isLeaving()) return handBack(options)
    if (!next.value)
      return finish(options, { code: 'compaction_failed', message: say('error.compaction_failed', options.language) })
  }
  await journal.stored()
  return finish(options, null)
}

function isDone({ loaded }: DriveOptions): boolean {
  return loaded.turns.some(
    ({ turn }) =>
      turn.kind === 'compaction' &&
      turn.run_id === loaded.run.id &&
      turn.loop_id === ROOT_LOOP &&
      turn.status === 'completed',
  )
}

async function handBack({ journal }: DriveOptions): Promise<'handed_back'> {
  await journal.stored()
  return 'handed_back'
}

async function finish(options: DriveOptions, error: RunError | null): Promise<'ended'> {
  const { journal, at } = options
  await at('before:C9')
  const begin = options.beginner()
  const queued = await journal.commit((append) => endQuietRun({ ...options, append, error }))
  await at('after:C9')
  begin(queued)
  return 'ended'
}
