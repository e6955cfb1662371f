import type { RunError } from '../core/loop-events.ts'
import { SERVER_STOPPED } from '../context/stored-turns.ts'
import type { Lease } from '../store/gate.ts'
import { readNeeds, type RunNeeds } from '../store/run-options.ts'
import { giveBack, TAKEOVERS } from '../store/run-rows.ts'
import type { Language } from '../words/language.ts'
import { say } from '../words/phrases.ts'
import type { ActiveRun } from './active-run.ts'
import { type Equipment, missingHere } from './carry-on.ts'
import { applyCommands } from './drive/apply-commands.ts'
import type { DriveOptions } from './drive/drive-options.ts'
import { driveCompact } from './drive/drive-compact.ts'
import { driveRestore } from './drive/drive-restore.ts'
import { driveRun } from './drive/drive-run.ts'
import type { RunJournal } from './drive/run-journal.ts'
import { notifier, openJournal, prepareDrive } from './prepare-drive.ts'
import { giveUp } from './restore/give-up.ts'
import { type LoadedRun, loadRun } from './restore/load-run.ts'
import { brokenTurns } from './restore/run-record.ts'
import type { RunOwner } from './run-owner.ts'
import type { WorkOptions } from './runs-options.ts'

/** A run that is worked on here. */
export type Running = {
  lease: Lease
  active: ActiveRun
  /** Started by its message just now, not carried on. */
  isFresh: boolean
  /** Resolves when nothing of it works any more. */
  done: Promise<void>
  /** Applies what people have asked of it meanwhile. */
  look: () => Promise<void>
  journal?: RunJournal
  /** Whose it is now, until an event says so. */
  untold?: RunOwner
}

/** Reads the run, and drives it to its end, to its hand-back, or says why it cannot be carried on. */
export async function workOnRun(running: Running, options: WorkOptions): Promise<void> {
  const { engine, clock, language } = options
  const { lease, active } = running
  const loaded = await engine.read(() => loadRun(engine, lease))
  await options.meter.windowOf(loaded.options.model)
  const journal = (running.journal = openJournal(loaded, running, options))
  if (!running.isFresh) sayRecovered(loaded, journal, language)
  const { refused } = loaded.record
  const error = refused ?? (await whyNot(loaded, options))
  if (error) return giveUp({ ...options, lease, loaded, journal, clock }, error, refused && 'tool_error')
  if (loaded.options.kind === 'restore') return restore(running, { loaded, journal }, options)
  using setup = await options.setup(loaded, notifier(journal, active))
  const drive = prepareDrive({ ...running, loaded, journal, setup }, options)
  const isChat = loaded.options.kind === undefined
  // What is asked of a session that makes room waits for its next run.
  if (isChat) running.look = () => look(drive)
  // What was asked before anybody could look.
  void running.look()
  using _deadline = deadlineOf(loaded, active)
  if ((await (isChat ? driveRun : driveCompact)(drive)) === 'handed_back') {
    active.throwIfBroken()
    if (active.reason !== 'lost') await engine.write(() => giveBack(lease))
  }
  await journal.close()
}

async function restore(
  { lease, active }: Running,
  { loaded, journal }: { loaded: LoadedRun; journal: RunJournal },
  options: WorkOptions,
): Promise<void> {
  const { engine, states, onError } = options
  const error = { code: 'storage_unavailable' as const, message: say('failure.restore', options.language) }
  if (!states) return giveUp({ ...options, lease, loaded, journal }, error)
  const drive = {
    ...options,
    lease,
    active,
    loaded,
    journal,
    states,
    onError: (cause: unknown) => onError(cause, lease),
  }
  if ((await driveRestore(drive)) === 'handed_back') {
    active.throwIfBroken()
    await journal.stored()
    if (active.reason !== 'lost') await engine.write(() => giveBack(lease))
  }
  await journal.close()
}

/** A run that may take so long is stopped then, whoever drives it and how often it changed hands. */
function deadlineOf({ run, options, readAt }: LoadedRun, active: ActiveRun): Disposable {
  const { max_ms } = options
  if (max_ms === undefined) return { [Symbol.dispose]: () => undefined }
  const timer = setTimeout(() => active.stop('overdue'), Math.max(0, run.created_at + max_ms - readAt))
  return { [Symbol.dispose]: () => clearTimeout(timer) }
}

async function look(drive: DriveOptions): Promise<void> {
  try {
    await applyCommands(drive)
  } catch {
    // The run itself meets the same failure, and ends by it.
  }
}

/** Says that the run goes on, and closes what its last owner left half-written. */
function sayRecovered({ record, options }: LoadedRun, journal: RunJournal, language: Language): void {
  const words = { title: say('recovered.title', language), detail: say('recovered.detail', language) }
  journal.write((book) => {
    // Nobody was told of one that talks to nobody.
    if (options.kind === undefined)
      book.notify('system:notification', { notification_type: 'run:recovered', ...words, status: 'info' })
    for (const { turn_id, kind } of brokenTurns(record))
      book.endTurn(turn_id, kind === 'compaction' ? 'failed' : 'interrupted', SERVER_STOPPED)
  })
}

/** A run that was tried too often, cannot be read, or whose model or agent is gone, ends instead of being carried on. */
async function whyNot(
  { run, options, isDamaged }: LoadedRun,
  here: Pick<Equipment, 'model' | 'ownTools' | 'hasAgent'> & { language: Language },
): Promise<RunError | undefined> {
  const { language } = here
  if (run.takeovers > TAKEOVERS || isDamaged)
    return { code: 'recovery_failed', message: say('failure.recovery', language) }
  // Files are put back without one.
  if (options.kind === 'restore') return undefined
  if (!here.model(options.model))
    return { code: 'model_not_available', message: say('failure.modelGone', language, { model: options.model }) }
  const needs: RunNeeds = readNeeds(run.needs) ?? options
  if (needs.agent && !(await here.hasAgent(needs.agent)))
    return { code: 'agent_not_available', message: say('failure.agentGone', language, { agent: needs.agent.name }) }
  const missing = missingHere(needs, here)
  return missing === undefined
    ? undefined
    : { code: 'tool_error', message: say('failure.toolGone', language, { tool: missing }) }
}
