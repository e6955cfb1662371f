import type { RunError } from '../core/loop-events.ts'
import { isStoreError } from '../store/errors.ts'
import { storageFailure } from '../store/storage-failure.ts'
import type { Language } from '../words/language.ts'
import { say } from '../words/phrases.ts'
import { openJournal } from './prepare-drive.ts'
import { endUnread } from './restore/end-unread.ts'
import { giveUp } from './restore/give-up.ts'
import { loadRun } from './restore/load-run.ts'
import type { WorkOptions } from './runs-options.ts'
import type { Running } from './work-on-run.ts'

/**
 * Of a run that threw. After its lease is lost that means nothing, and what the store says is for whoever has the lease
 * next; anything else would only be thrown again by the next owner, so the run ends here, read anew: nothing in memory is
 * to be trusted after that.
 */
export async function failRun(error: unknown, running: Running, options: WorkOptions): Promise<void> {
  const { engine, clock, ids, leases, language, onError } = options
  const { lease, active } = running
  if (isStoreError(error, 'fenced') || !leases.isHeld(lease)) return
  onError(error, lease)
  const reason = whyEnded(error, language)
  if (!reason) return
  try {
    active.stop('lost')
    await running.journal?.close()
    const loaded = await engine.read(() => loadRun(engine, lease))
    const journal = openJournal(loaded, running, options)
    await giveUp({ ...options, lease, loaded, journal }, reason)
  } catch (again) {
    if (!isStoreError(again, 'fenced')) onError(again, lease)
    // The lease decides: whoever claims the run next carries it on, or ends it.
    if (isStoreError(again)) return
    // Whatever it holds that nobody thought of.
    const begin = options.beginner()
    const ports = { clock, ids, untold: running.untold, startQueued: options.startQueued }
    const ending = engine.write(() => endUnread(lease, reason, ports))
    await ending.then(begin).catch((error: unknown) => onError(error, lease))
  }
}

/** With what a run that threw ends; `undefined` when it is carried on instead. On a full disk so little may still fit. */
function whyEnded(error: unknown, language: Language): RunError | undefined {
  const failure = storageFailure(error)
  if (failure?.code === 'storage_full') return { code: failure.code, message: failure.message }
  if (isStoreError(error)) return undefined
  return { code: 'internal_error', message: say('failure.broken', language) }
}
