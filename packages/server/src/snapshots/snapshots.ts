import { join } from 'node:path'
import { realpath } from 'node:fs/promises'
import type { Logger } from 'pino'
import type { Engine } from '../store/engine.ts'
import { speakingOf } from '../workspace/files/file-errors.ts'
import { HeldDirectory } from '../workspace/files/held-directory.ts'
import type { Workspaces } from '../workspace/workspaces.ts'
import { type Content, Contents, fileOf, GoneError, type Place } from './contents.ts'
import { Keeper } from './keeper.ts'
import { decodeManifest, encodeManifest, type Manifest } from './manifest.ts'
import { type Problem, problemOf, PROBLEMS } from './problems.ts'
import { putBack } from './put-back.ts'
import {
  addState,
  findBefore,
  findLastKept,
  findNamed,
  findNewestTurn,
  type KeptState,
  type StateKey,
  type StateRow,
} from './state-rows.ts'
import { type StateLimits, takeState } from './take-state.ts'
import { tidy } from './tidy.ts'

export type SnapshotLimits = StateLimits & {
  /** What all states of one session may have on disk; the oldest are given up for newer ones. */
  sessionBytes: number
  /** What is left free on the disk, for what cannot do without. */
  freeBytes: number
}

const GiB = 1024 ** 3

export const SNAPSHOT_LIMITS: SnapshotLimits = {
  entries: 100_000,
  bytes: 2 * GiB,
  sessionBytes: 4 * GiB,
  freeBytes: GiB / 4,
}

export type SnapshotsOptions = {
  engine: Engine
  workspaces: Workspaces
  logger: Logger
  /** Wall clock, in milliseconds. */
  now: () => number
  limits?: SnapshotLimits
}

/** A state to go back to: before the user turn of this `sequence`, or one that was kept under a name. */
export type Wanted = { before: number } | { name: string }

/** `unchanged`: nothing has changed since, so there is nothing to restore. */
export type Restored = { restored: true } | { restored: false; reason: 'unchanged' | Problem; message: string }

/** Beside the workspaces, not in them, so that every instance has it and no command does. */
const FOLDER = '.snapshots'

/**
 * The states of workspaces that conversations can go back to.
 *
 *   user turn 1 ── first change ── … ── user turn 4 ── user turn 7 ── first change ── …
 *                  state 1                                            state 7
 *
 * A state is taken right before the first change after a user turn, once. So the state before turn 4 is the first one
 * whose number is not below 4: nothing has changed in between.
 */
export class Snapshots {
  readonly #options: Required<SnapshotsOptions>
  readonly #turns = new Map<string, Promise<unknown>>()
  /** Of the contents of all sessions, each in a directory named after its session. */
  readonly directory: string

  constructor({ limits = SNAPSHOT_LIMITS, ...options }: SnapshotsOptions) {
    this.#options = { limits, ...options }
    this.directory = join(options.workspaces.directory, FOLDER)
  }

  /**
   * To be called right before anything may change in a session's workspace. What cannot be kept is logged, and on record
   * for whoever wants to go back; it stops nobody. An abort ends it within a moment, and nothing is on record.
   */
  async beforeWrite(session_id: string, signal?: AbortSignal): Promise<void> {
    try {
      await orAborted(
        this.#inTurn(session_id, async () => {
          if (await this.#keepNewest(session_id, signal)) await this.#tidy(session_id)
        }),
        signal,
      )
    } catch (error) {
      if (!signal?.aborted) this.#options.logger.warn({ err: error, session_id }, 'the state of a workspace is unknown')
    }
  }

  /** Whether there is a state to go back to; a reason why not counts as one. */
  async has(session_id: string, wanted: Wanted): Promise<boolean> {
    return (await this.#find(session_id, wanted)) !== undefined
  }

  /** Keeps the state of now under a name, once: a name that is there already keeps what it has. */
  async keep(session_id: string, name: string, signal: AbortSignal): Promise<void> {
    await this.#inTurn(session_id, async () => {
      const { engine } = this.#options
      if (await findNamed(engine, session_id, name)) return
      const newest = await findNewestTurn(engine, session_id)
      const hasWritten = await this.#take(session_id, { sequence: newest?.sequence ?? 0, name }, signal)
      if (hasWritten) await this.#tidy(session_id)
    })
  }

  /**
   * Makes the workspace what it was. It may be begun again after a crash or an abort; until it has been, the workspace is
   * partly the one and partly the other. The caller sees to it that nothing else works there meanwhile.
   */
  async restore(session_id: string, wanted: Wanted, signal: AbortSignal): Promise<Restored> {
    return this.#inTurn(session_id, async () => {
      const { workspaces } = this.#options
      const row = await this.#find(session_id, wanted)
      if (!row) return 'name' in wanted ? refuse('gone') : UNCHANGED
      if (!row.state) return refuse(row.problem)
      await using contents = this.#contents(session_id)
      try {
        await contents.demand(row.state.files)
        const manifest = await load(contents, row.state)
        // It is a change like any other, and what it changes can be gone back to.
        const hasWritten = await this.#keepNewest(session_id, signal)
        await using workspace = await hold(await workspaces.make(session_id))
        await speakingOf('the workspace', () => putBack(workspace, { manifest, contents, signal }))
        // Not before: the state that is put back may be the one that is given up.
        if (hasWritten) await this.#tidy(session_id)
        return { restored: true }
      } catch (error) {
        if (error instanceof GoneError) return refuse('gone')
        throw error
      }
    })
  }

  #find(session_id: string, wanted: Wanted): Promise<StateRow | undefined> {
    const { engine } = this.#options
    return 'name' in wanted ? findNamed(engine, session_id, wanted.name) : findBefore(engine, session_id, wanted.before)
  }

  async #keepNewest(session_id: string, signal: AbortSignal | undefined): Promise<boolean> {
    const newest = await findNewestTurn(this.#options.engine, session_id)
    // Before the first message there is nothing to go back to.
    if (!newest || newest.isKept) return false
    return this.#take(session_id, { sequence: newest.sequence, name: '' }, signal)
  }

  /** Returns whether there is more on disk now. */
  async #take(session_id: string, key: StateKey, signal: AbortSignal | undefined): Promise<boolean> {
    const { engine, logger } = this.#options
    let row: StateRow
    let hasWritten = false
    try {
      const taken = await this.#stateNow(session_id, signal)
      row = { ...key, state: taken.state, problem: null }
      hasWritten = taken.hasWritten
    } catch (error) {
      signal?.throwIfAborted()
      const problem = problemOf(error)
      logger.warn({ session_id, problem, ...(problem === 'failed' && { err: error }) }, PROBLEMS[problem])
      row = { ...key, state: null, problem }
    }
    signal?.throwIfAborted()
    await addState(engine, session_id, row)
    return hasWritten
  }

  async #tidy(session_id: string): Promise<void> {
    const { engine, limits, logger, now } = this.#options
    const directory = this.#directoryOf(session_id)
    const dropped = await tidy({ engine, directory, session_id, bytes: limits.sessionBytes, now })
    if (dropped > 0) logger.info({ session_id, dropped }, PROBLEMS.dropped)
  }

  async #stateNow(
    session_id: string,
    signal: AbortSignal | undefined,
  ): Promise<{ state: KeptState; hasWritten: boolean }> {
    const { engine, workspaces, limits, now } = this.#options
    const before = await findLastKept(engine, session_id)
    const last = before ? await this.#loadIfThere(session_id, before) : new Map<string, never>()
    const keeper = new Keeper({
      directory: this.#directoryOf(session_id),
      known: placesIn(last, before?.manifest),
      freeBytes: limits.freeBytes,
    })
    try {
      await using workspace = await hold(await workspaces.make(session_id))
      const manifest = await takeState(workspace, { last, keeper, limits, now, signal })
      const kept = await keeper.keep(await encodeManifest(manifest))
      await keeper.finish()
      return { state: { manifest: kept, files: filesOf(manifest, kept) }, hasWritten: keeper.hasWritten }
    } catch (error) {
      await keeper.giveUp()
      throw error
    }
  }

  /** The cleaner removes what nobody has used for long. */
  async #loadIfThere(session_id: string, state: KeptState): Promise<Manifest> {
    await using contents = this.#contents(session_id)
    try {
      return await load(contents, state)
    } catch (error) {
      if (error instanceof GoneError) return new Map()
      throw error
    }
  }

  #contents(session_id: string): Contents {
    return new Contents(this.#directoryOf(session_id))
  }

  #directoryOf(session_id: string): string {
    return join(this.directory, session_id)
  }

  /** One at a time for each session; those of other instances only find what is there. */
  async #inTurn<T>(session_id: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(session_id) ?? Promise.resolve()).then(work, work)
    this.#turns.set(session_id, turn)
    try {
      return await turn
    } finally {
      if (this.#turns.get(session_id) === turn) this.#turns.delete(session_id)
    }
  }
}

const UNCHANGED: Restored = {
  restored: false,
  reason: 'unchanged',
  message: 'Nothing has changed in the workspace since.',
}

function refuse(reason: Problem): Restored {
  return { restored: false, reason, message: PROBLEMS[reason] }
}

async function load(contents: Contents, { manifest }: KeptState): Promise<Manifest> {
  return decodeManifest(await contents.read(manifest))
}

async function hold(workspace: string): Promise<HeldDirectory> {
  const real = await realpath(workspace)
  return HeldDirectory.open(real, real)
}

function placesIn(manifest: Manifest, itself: Content | undefined): Map<string, Place> {
  const places = new Map<string, Place>()
  if (manifest.size > 0 && itself) places.set(itself.sha256, placeOf(itself))
  for (const entries of manifest.values())
    for (const entry of entries.values()) if (entry.type === 'file') places.set(entry.sha256, placeOf(entry))
  return places
}

function placeOf({ sha256, pack, offset }: Place): Place {
  return { sha256, pack, offset }
}

function filesOf(manifest: Manifest, itself: Content): string[] {
  const files = new Set([fileOf(itself)])
  for (const entries of manifest.values())
    for (const entry of entries.values()) if (entry.type === 'file') files.add(fileOf(entry))
  return [...files].sort()
}

/** Whoever waits is let go at once; what hangs in a file system may go on hanging. */
async function orAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return work
  using stack = new DisposableStack()
  const { promise: aborted, reject } = Promise.withResolvers<void>()
  const onAbort = () => reject(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort)
  stack.defer(() => signal.removeEventListener('abort', onAbort))
  await Promise.race([work, aborted])
}
