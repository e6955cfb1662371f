import { AsyncLocalStorage } from 'node:async_hooks'
import { type Append, type Appended, appendEvents, durabilityOf, notWritten } from '../append.ts'
import { type StorageTrouble, troubleOf } from '../errors.ts'
import type { Timers } from '../timers.ts'
import type { Told, Work } from '../work.ts'
import { appendGroup } from './append-group.ts'
import type { Connection } from './connection.ts'
import { isBusy, LOCK_PATIENCE_MS, LOCK_RETRY_MS, lockedError } from './lock-wait.ts'
import { storageError } from './storage-error.ts'

export type Durability = 'full' | 'normal'

export type CommitQueueOptions = {
  connection: Connection
  /** For what failures say. */
  directory: string
  timers: Timers
  now: () => number
  onCommitted: (told: Told) => void
}

const JOBS_PER_COMMIT = 512

type Job = {
  work: () => Work<unknown>
  /** Of a run's owner: it goes with those of other sessions. */
  append?: Append
  durability: Durability
  since: number
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

/** What a job tells, and how to tell its caller, once the commit has happened. */
type Done = { told: Told[]; settle: () => void }

/**
 * All writes of a tick share one transaction on the one write connection, and the whole transaction is one synchronous
 * function. When one of them fails they are run again, each under a savepoint of its own, so that it fails alone.
 */
export class CommitQueue {
  readonly #options: CommitQueueOptions
  readonly #writer: Connection
  /** A commit is everybody's: it must not count as a callback of whoever asked for it first. */
  readonly #outside = AsyncLocalStorage.snapshot()
  #queue: Job[] = []
  #scheduled: 'no' | 'soon' | 'locked' = 'no'
  #trouble: StorageTrouble | null = null
  #synchronous: Durability = 'full'

  constructor(options: CommitQueueOptions) {
    this.#options = options
    this.#writer = options.connection
  }

  /** How the last commit failed, if it did. */
  get trouble(): StorageTrouble | null {
    return this.#trouble
  }

  add<T>(work: () => Work<T>, durability: Durability): Promise<T> {
    return this.#add<T>({ work, durability })
  }

  /** Of a session with none in flight, unless it is a notice. */
  append(append: Append): Promise<Appended> {
    const job = { work: () => appendEvents(append), durability: durabilityOf(append.events) }
    return this.#add<Appended>(append.epoch === null ? job : { ...job, append })
  }

  #add<T>(job: Omit<Job, 'since' | 'resolve' | 'reject'>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const since = this.#options.timers.elapsed()
      this.#queue.push({ ...job, since, resolve: resolve as (value: unknown) => void, reject })
      this.#schedule()
    })
  }

  /** Commits what is left. */
  async flush(): Promise<void> {
    while (this.#queue.length > 0)
      if (this.#scheduled === 'locked') await this.#options.timers.sleep(LOCK_RETRY_MS)
      else this.#commitQueue()
  }

  /** With the next turn of the event loop: what comes in this one shares the commit. */
  #schedule(): void {
    if (this.#scheduled !== 'no') return
    this.#scheduled = 'soon'
    this.#outside(() => this.#options.timers.soon(() => this.#tick()))
  }

  #tick(): void {
    this.#scheduled = 'no'
    this.#commitQueue()
    if (this.#queue.length > 0) this.#schedule()
  }

  #commitQueue(): void {
    const jobs = this.#queue.splice(0, JOBS_PER_COMMIT)
    if (jobs.length === 0) return
    let done: Done[]
    try {
      this.#begin(jobs.some((job) => job.durability === 'full') ? 'full' : 'normal')
      done = this.#runTogether(jobs) ?? jobs.map((job) => this.#runApart(job))
      this.#writer.database.exec('COMMIT')
    } catch (error) {
      // Nothing of this commit is stored: everybody in it is told so, with the reason.
      if (this.#writer.database.isTransaction) this.#writer.database.exec('ROLLBACK')
      if (isBusy(error)) return this.#waitForLock(jobs, error)
      const reason = storageError(error, this.#options.directory)
      this.#trouble = troubleOf(reason)
      for (const job of jobs) job.reject(reason)
      return
    }
    this.#trouble = null
    for (const { told } of done) for (const one of told) this.#options.onCommitted(one)
    for (const { settle } of done) settle()
  }

  /** Another program has the database. Whoever has waited long enough is told; for the others it is tried again. */
  #waitForLock(jobs: Job[], cause: unknown): void {
    const { timers } = this.#options
    const patientSince = timers.elapsed() - LOCK_PATIENCE_MS
    for (const job of jobs) if (job.since < patientSince) job.reject(lockedError(this.#options.directory, cause))
    this.#queue.unshift(...jobs.filter(({ since }) => since >= patientSince))
    this.#scheduled = 'locked'
    timers.after(LOCK_RETRY_MS, () => this.#tick())
  }

  #begin(durability: Durability): void {
    // Only possible between transactions. A later full commit also syncs the increments before it.
    if (durability !== this.#synchronous) this.#writer.database.exec(`PRAGMA synchronous = ${durability}`)
    this.#synchronous = durability
    this.#writer.database.exec('BEGIN IMMEDIATE')
  }

  /** The usual case, without the cost of savepoints. `undefined`: a job failed, so nothing was done. */
  #runTogether(jobs: Job[]): Done[] | undefined {
    const { database } = this.#writer
    try {
      const [group, others] = groupOf(jobs)
      const done = group.length > 0 ? [this.#runGroup(group)] : []
      for (const job of others) {
        if (!database.isTransaction) throw new Error('the transaction is over')
        done.push(this.#run(job))
      }
      return done
    } catch {
      if (database.isTransaction) database.exec('ROLLBACK')
      database.exec('BEGIN IMMEDIATE')
      return undefined
    }
  }

  #runApart(job: Job): Done {
    this.#writer.database.exec('SAVEPOINT job')
    try {
      const done = this.#run(job)
      this.#writer.database.exec('RELEASE job')
      return done
    } catch (error) {
      // A full disk ends the whole transaction; anything else ends this job alone.
      if (!this.#writer.database.isTransaction) throw error
      this.#writer.database.exec('ROLLBACK TO job; RELEASE job')
      const reason = storageError(error, this.#options.directory)
      return {
        told: [],
        settle: () => {
          this.#trouble ??= troubleOf(reason)
          job.reject(reason)
        },
      }
    }
  }

  /** Who is fenced fails alone, having written nothing. */
  #runGroup(jobs: Job[]): Done {
    const told: Told[] = []
    const appends = jobs.map((job) => job.append!)
    const stored = this.#writer.drive(appendGroup(appends, this.#options.now()), (one) => told.push(one))
    const settle = () => {
      for (const { append, resolve, reject } of jobs) {
        const appended = stored.get(append!.session_id)
        if (appended) resolve(appended)
        else reject(notWritten(append!.session_id, append!.epoch))
      }
    }
    return { told, settle }
  }

  #run(job: Job): Done {
    const told: Told[] = []
    const result = this.#writer.drive(job.work(), (one) => told.push(one))
    return { told, settle: () => job.resolve(result) }
  }
}

/** The first append of each session, if there are several; and the rest. */
function groupOf(jobs: readonly Job[]): [group: Job[], others: readonly Job[]] {
  const group = new Map<string, Job>()
  for (const job of jobs) if (job.append && !group.has(job.append.session_id)) group.set(job.append.session_id, job)
  if (group.size < 2) return [[], jobs]
  return [[...group.values()], jobs.filter((job) => !job.append || group.get(job.append.session_id) !== job)]
}
