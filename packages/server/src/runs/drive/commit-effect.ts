import type { LoopEvent } from '../../core/loop-events.ts'
import { appendEvents } from '../../store/append.ts'
import type { Effect } from '../../store/effect.ts'
import { forgetTakeovers } from '../../store/run-rows.ts'
import type { DriveOptions } from './drive-options.ts'
import { gateAndCommands } from '../../store/gate.ts'
import { appendPending } from './run-journal.ts'
import type { TurnBook } from '../turn-book.ts'
import { writeResult } from './write-result.ts'

/** The deed, C5 and C6 in one transaction, so that it happens exactly once; unless a stop came first. */
export async function commitEffect(
  { turn_id, tool_call_id, effect }: LoopEvent & { type: 'tool:effect' },
  { journal, lease, active, loaded }: DriveOptions,
): Promise<void> {
  const { book } = journal
  let page: ReturnType<TurnBook['take']> | undefined
  const output = await journal.commit(function* (append) {
    const { stop_requested } = yield* gateAndCommands(lease)
    yield* appendPending(append)
    if (stop_requested) return 'stopped'
    const done = yield* (effect.effect as Effect)()
    const status = done.isError ? 'error' : 'done'
    // A transaction may be gone through twice; what it tells is written down once.
    if (!page) {
      writeResult(book, { turn_id, tool_call_id, status, result: done.result, duration_ms: 0 })
      for (const block of done.blocks ?? []) book.addBlock(turn_id, tool_call_id, block)
      for (const { name, payload } of done.notices ?? []) book.notify(name, payload)
      page = book.take()
    }
    yield* appendEvents({ ...append, ...page, batch: `${append.batch}.effect` })
    // A result of its own: the run is getting on again.
    if (loaded.run.takeovers > 0) yield* forgetTakeovers(loaded.run.id)
    return { status, result: done.result } as const
  })
  if (output === 'stopped') return active.stop('stop')
  loaded.run.takeovers = 0
  active.tookEffect(tool_call_id, output)
}
