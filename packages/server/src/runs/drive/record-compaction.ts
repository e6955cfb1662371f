import type { LoopEvent } from '../../core/loop-events.ts'
import { storeCompaction } from '../../store/compaction-rows.ts'
import type { DriveOptions } from './drive-options.ts'
import { appendPending } from './run-journal.ts'

export type CompactionEvent = Extract<LoopEvent, { type: `compaction:${string}` }>

/** A compaction's turn: announced before its model is asked (C10), and ended together with all that it changes (C11). */
export async function recordCompaction(event: CompactionEvent, options: DriveOptions): Promise<void> {
  const { journal, inputs, at } = options
  switch (event.type) {
    case 'compaction:start': {
      const { turn_id, loop_id, parent_fork_tool_call_id, model, trigger } = event
      const its = { turn_id, loop_id, parent_fork_tool_call_id, model, trigger }
      await at('before:C10')
      journal.write((book) => book.startTurn({ role: 'system', kind: 'compaction', ...its }))
      await journal.stored()
      await at('after:C10')
      break
    }
    case 'compaction:input': {
      const { turn_id, loop_id, model, input } = event
      const { data, contents } = await inputs.keep(loop_id, model, input)
      journal.write((book) => {
        book.hidden('run:model_input', data, { loop_id, turn_id })
        book.keepContents(contents)
      })
      await journal.stored()
      break
    }
    case 'compaction:end':
      await at('before:C11')
      await end(event, options)
      await at('after:C11')
      break
    default:
      event satisfies never
  }
}

async function end(event: CompactionEvent & { type: 'compaction:end' }, options: DriveOptions): Promise<void> {
  const { journal, lease } = options
  const { turn_id, usage, result } = event
  if ('failure_reason' in result) {
    journal.write((book) => {
      book.setUsage(turn_id, usage)
      book.endTurn(turn_id, 'failed', result.failure_reason)
    })
    return journal.stored()
  }
  const { session_id, run_id } = lease
  const { loop_id, sequence } = journal.book.turn(turn_id)
  await journal.commit(
    function* (append) {
      yield* appendPending(append)
      yield* storeCompaction({ session_id, loop_id, turn_id, sequence }, result.archived_range, run_id)
    },
    (book) => {
      book.setUsage(turn_id, usage)
      book.setCompacted(turn_id, result)
      book.endTurn(turn_id, 'completed')
    },
  )
}
