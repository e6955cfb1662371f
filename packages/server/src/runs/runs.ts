import type { EventName, EventPayload } from '@parley/protocol'
import type { LoopEnv } from '../core/loop-env.ts'
import type { RunError } from '../core/loop-events.ts'
import { AGENT, ASK } from '../core/offer.ts'
import type { Clock, Ids, ModelEntry, Tools } from '../ports.ts'
import type { Engine } from '../store/engine.ts'
import { isStoreError } from '../store/errors.ts'
import { liveOffers } from '../store/instances.ts'
import { LeaseKeeper, type Moment } from '../store/lease-keeper.ts'
import { askedOfOwner, handBack, type Lease, readLeases, renew, type SeenLease, takeOver } from '../store/gate.ts'
import { lookEveryMs, Standstill } from '../store/standstill.ts'
import { storageFailure } from '../store/storage-failure.ts'
import { run, runSql, type Work } from '../store/work.ts'
import { ActiveRun } from './active-run.ts'
import { createContext } from '../context/context.ts'
import { ModelInputs } from '../context/model-inputs.ts'
import { SERVER_STOPPED } from '../context/stored-turns.ts'
import type { DriveOptions } from './drive/drive-options.ts'
import { applyCommands } from './drive/apply-commands.ts'
import { driveRun } from './drive/drive-run.ts'
import { endUnread } from './restore/end-unread.ts'
import { giveBack } from './give-back.ts'
import { giveUp } from './restore/give-up.ts'
import { type LoadedRun, loadRun } from './restore/load-run.ts'
import { outputContract } from './drive/output-contract.ts'
import type { PointHook } from './points.ts'
import { brokenTurns, restoreLoop } from './restore/restore.ts'
import { inRun } from './run-scope.ts'
import { disabledTools } from '../store/session-record.ts'
import { RunJournal } from './drive/run-journal.ts'
import { readNeeds, RUN_FORMAT, type RunNeeds } from '../store/run-options.ts'
import type { Language } from '../words/language.ts'
import { say } from '../words/phrases.ts'
import { loopTexts } from './drive/loop-texts.ts'
import { TurnBook } from './turn-book.ts'

/** A notice of something that a tool did, for the session's clients. */
export type Notify = <Name extends EventName>(
  name: Name,
  payload: Omit<EventPayload<Name>, 'session_id' | 'event_seq'>,
) => void

export type RunsOptions = {
  engine: Engine
  clock: Clock
  ids: Ids
  monotonicNow: () => number
  /** This process, among all that share the database. */
  instance: string
  leaseMs: number
  language: Language
  maxTurns: number
  /** How long a confirmation, and a person's consent, holds. */
  consentMs: number
  /** How long a stopping server lets answers and tools finish. */
  drainMs: number
  model: (id: string) => ModelEntry | undefined
  /** Stricter than `model`: whether another instance need not be preferred. */
  hasModel: (id: string) => boolean
  /** Tools that only some instances have, and this one does. */
  ownTools: () => string[]
  /** Other instances that have given no sign of life for a lease. */
  gone: () => ReadonlySet<string>
  /** Whether this instance works on the same workspaces as the others; without, it claims nothing. */
  sharesWorkspaces: () => Promise<boolean>
  /** `notify` puts a notice into the run's journal; after the run has left it does nothing. */
  tools: (run: LoadedRun, notify: Notify) => Promise<Tools>
  system: (run: LoadedRun) => string
  onError: (error: unknown, lease: Lease) => void
  /** Called around every commit point; only tests give one that does something. */
  at?: PointHook
}

const TAKEOVERS = 3
/** Many more than one instance takes at once: runs that need what it lacks must not hide the others. */
const CLAIMS_PER_LOOK = 500
const STOP_CHECK_MS = 500
const MAX_DEPTH = 3
const PARALLEL_CALLS = 8

/**
 * The runs of this instance: started here, or taken over from an instance that is gone. Keeps their leases alive, looks
 * for runs that nobody keeps, passes on stops and additions that reached another instance, and hands everything back when
 * the server stops.
 */
export class Runs implements AsyncDisposable {
  readonly #options: RunsOptions
  readonly #leases: LeaseKeeper
  readonly #standstill: Standstill
  readonly #running = new Map<string, Running>()
  readonly #timers: NodeJS.Timeout[] = []
  #isStopping = false
  #claiming: Promise<void> | undefined

  constructor(options: RunsOptions) {
    this.#options = options
    const { engine, leaseMs, instance, monotonicNow } = options
    this.#standstill = new Standstill(monotonicNow)
    this.#leases = new LeaseKeeper({
      leaseMs,
      now: () => this.now(),
      renew: (leases) => engine.write(() => renew(leases, instance, leaseMs), { isRenewal: true }),
    })
  }

  /** Begins to look after runs that nobody keeps. On SQLite every run that was active before this process is one. */
  start(): void {
    void this.claimExpired()
    this.#timers.push(setInterval(() => void this.claimExpired(), lookEveryMs(this.#options.leaseMs)))
    if (this.#options.engine.kind === 'postgres')
      this.#timers.push(setInterval(() => void this.#lookForCommands(), STOP_CHECK_MS))
    for (const timer of this.#timers) timer.unref()
  }

  /** For `begin`: when a claim is sent. */
  now(): Moment {
    return { monotonic: this.#options.monotonicNow(), wall: this.#options.clock.now() }
  }

  /**
   * Starts a run whose lease was won by a claim sent at `sentAt`, its message or a take-over. Whoever still works on the
   * session here was replaced meanwhile, elsewhere or by its own end: it is stopped, and done, before this one starts.
   */
  begin(lease: Lease, sentAt: Moment, isFresh: boolean): void {
    const before = this.#running.get(lease.session_id)
    before?.active.stop('lost')
    const lost = this.#leases.hold(lease, sentAt)
    const active = new ActiveRun()
    active.isDraining = this.#isStopping
    lost.addEventListener('abort', () => active.stop('lost'), { once: true })
    const running: Running = { lease, active, done: Promise.resolve(), look: async () => undefined }
    running.done = (before ? before.done : Promise.resolve())
      .then(() => inRun(active, () => this.#run(running, isFresh)))
      .catch((error: unknown) => this.#failed(error, running))
      .then(() => (lost.aborted ? this.#letGo(lease) : undefined))
      .finally(() => {
        active.stop('lost')
        this.#leases.release(lease)
        if (this.#running.get(lease.session_id) === running) this.#running.delete(lease.session_id)
      })
    this.#running.set(lease.session_id, running)
  }

  /** Somebody has asked something of this session's run: if it is here, look now. */
  nudge(session_id: string): void {
    void this.#running.get(session_id)?.look()
  }

  /** The same, told by another instance, which may also have asked for a stop. */
  nudgedFromOutside(session_id: string): void {
    if (this.#running.has(session_id)) void this.#lookForCommands()
  }

  stop(session_id: string, run_id: string): void {
    const running = this.#running.get(session_id)
    if (running?.lease.run_id === run_id) running.active.stop('stop')
  }

  /** The session is about to be deleted: resolves when nothing of its run works here any more. */
  async abandon(session_id: string): Promise<void> {
    const running = this.#running.get(session_id)
    running?.active.stop('lost')
    await running?.done
  }

  async claimExpired(): Promise<void> {
    if (this.#isStopping) return
    this.#claiming ??= this.#claim().finally(() => {
      this.#claiming = undefined
    })
    await this.#claiming
  }

  /** Lets answers and tools finish for a while, aborts the rest, and hands every run back. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true
    for (const timer of this.#timers) clearInterval(timer)
    await this.#claiming
    const running = [...this.#running.values()]
    for (const { active } of running) active.isDraining = true
    const abort = setTimeout(() => running.forEach(({ active }) => active.stop('shutdown')), this.#options.drainMs)
    await Promise.all(running.map(({ done }) => done))
    clearTimeout(abort)
    this.#leases[Symbol.dispose]()
  }

  async #claim(): Promise<void> {
    const { engine, instance, leaseMs, sharesWorkspaces } = this.#options
    try {
      const abandoned = await this.#findAbandoned()
      if (abandoned.length === 0 || !(await sharesWorkspaces())) return
      // On a full disk a take-over would only count against the run.
      if ((await engine.trouble()) === 'storage_full') return
      const rows = await engine.read(() => needsOf(engine, abandoned))
      for (const seen of abandoned) {
        const row = rows.get(seen.run_id)
        if (!row || row.format > RUN_FORMAT || this.#isStopping || this.#running.has(seen.session_id)) continue
        // One that no instance can carry on, or whose needs nobody can read, is taken as well, to end it.
        const needs = readNeeds(row.needs)
        if (needs && this.#isWanting(needs) && !(await this.#nobodyHas(needs))) continue
        const sentAt = this.now()
        const lease = await engine.write(() => claimRun(seen, instance, leaseMs))
        if (lease) this.begin(lease, sentAt, false)
      }
    } catch {
      // The store is out of reach; the next look will find them.
    }
  }

  /**
   * Runs that nobody keeps: handed back, or with a lease that stood still for its whole length by this process's own
   * clock. Never one that still works here: nobody takes a run from itself, whatever its row says.
   */
  async #findAbandoned(): Promise<SeenLease[]> {
    const { engine, leaseMs, monotonicNow } = this.#options
    const askedAt = monotonicNow()
    const leases = await readLeases(engine)
    const still = this.#standstill.look(
      leases.map(({ session_id, owner, epoch, lease_until }) => ({
        key: session_id,
        mark: `${owner} ${epoch} ${lease_until}`,
      })),
      askedAt,
    )
    return leases
      .filter(({ session_id, owner }) => owner === null || still.get(session_id)! >= leaseMs)
      .filter(({ session_id }) => !this.#running.has(session_id))
      .slice(0, CLAIMS_PER_LOOK)
  }

  /** Of a lost lease: as long as nobody has taken the run over, nobody need wait for it to stand still. */
  async #letGo(lease: Lease): Promise<void> {
    try {
      await this.#options.engine.write(() => handBack(lease))
    } catch {
      // The store is out of reach; then it will stand still.
    }
  }

  /** What this instance lacks to carry a run on. */
  #missing({ model, tools = [] }: RunNeeds): string | undefined {
    if (!this.#options.model(model)) return model
    const own = this.#options.ownTools()
    return tools.find((name) => !own.includes(name))
  }

  #isWanting(needs: RunNeeds): boolean {
    return !this.#options.hasModel(needs.model) || this.#missing(needs) !== undefined
  }

  async #nobodyHas({ model, tools = [] }: RunNeeds): Promise<boolean> {
    const { engine } = this.#options
    if (engine.kind === 'sqlite') return true
    const offers = await engine.read(() => liveOffers(this.#options.gone()))
    return !offers.some((offer) => offer.models.includes(model) && tools.every((name) => offer.tools.includes(name)))
  }

  /** One question for all runs of this instance: has anybody asked for a stop, or added something? */
  async #lookForCommands(): Promise<void> {
    if (this.#running.size === 0) return
    const { engine, instance } = this.#options
    try {
      const rows = await askedOfOwner(engine, instance)
      for (const { session_id, run_id, stop_requested, commands } of rows) {
        if (stop_requested) this.stop(session_id, run_id)
        else if (commands > 0) this.nudge(session_id)
      }
    } catch {
      // The store is out of reach; the lease decides.
    }
  }

  async #run(running: Running, isFresh: boolean): Promise<void> {
    const { engine, clock } = this.#options
    const { lease, active } = running
    const loaded = await engine.read(() => loadRun(engine, lease))
    const journal = (running.journal = this.#openJournal(loaded, running))
    if (!isFresh) this.#sayRecovered(loaded, journal)
    const { refused } = loaded.record
    const error = refused ?? this.#whyNot(loaded)
    if (error) return giveUp({ engine, lease, loaded, journal, clock }, error, refused && 'tool_error')
    const drive = await this.#prepare(loaded, journal, running, isFresh)
    running.look = () => this.#look(drive)
    // What was asked before anybody could look.
    void running.look()
    if ((await driveRun(drive)) === 'handed_back') {
      active.throwIfBroken()
      if (active.reason !== 'lost') await engine.write(() => giveBack(lease))
    }
    await journal.close()
  }

  /**
   * A run that threw. After its lease is lost that means nothing, and what the store says is for whoever has the lease
   * next; anything else would only be thrown again by the next owner, so the run ends here, read anew: nothing in memory
   * is to be trusted after that.
   */
  async #failed(error: unknown, running: Running): Promise<void> {
    const { engine, clock, onError } = this.#options
    const { lease, active } = running
    if (isStoreError(error, 'fenced') || !this.#leases.isHeld(lease)) return
    onError(error, lease)
    const reason = this.#whyEnded(error)
    if (!reason) return
    try {
      active.stop('lost')
      await running.journal?.close()
      const loaded = await engine.read(() => loadRun(engine, lease))
      const journal = this.#openJournal(loaded, running)
      await giveUp({ engine, lease, loaded, journal, clock }, reason)
    } catch (again) {
      if (!isStoreError(again, 'fenced')) onError(again, lease)
      // The lease decides: whoever claims the run next carries it on, or ends it.
      if (isStoreError(again)) return
      // Whatever it holds that nobody thought of.
      const { ids } = this.#options
      await engine
        .write(() => endUnread(lease, reason, { clock, ids }))
        .catch((error: unknown) => onError(error, lease))
    }
  }

  /** With what a run that threw ends; `undefined` when it is carried on instead. On a full disk so little may still fit. */
  #whyEnded(error: unknown): RunError | undefined {
    const failure = storageFailure(error)
    if (failure?.code === 'storage_full') return { code: failure.code, message: failure.message }
    if (isStoreError(error)) return undefined
    return { code: 'internal_error', message: say('failure.broken', this.#options.language) }
  }

  async #look(drive: DriveOptions): Promise<void> {
    try {
      await applyCommands(drive)
    } catch {
      // The run itself meets the same failure, and ends by it.
    }
  }

  /** The book with the turns that were left open, and the way into the journal. */
  #openJournal(loaded: LoadedRun, { lease, active }: Running): RunJournal {
    const { engine, clock, ids, model } = this.#options
    const book = new TurnBook({
      run_id: lease.run_id,
      clock,
      ids,
      nextSequence: loaded.nextSequence,
      contextWindow: model(loaded.options.model)?.contextWindow ?? 0,
      solution_id: loaded.session.solution_id,
    })
    for (const { turn, parts } of [...loaded.turns, ...loaded.record.open])
      if (turn.status === 'paused' || turn.status === 'streaming')
        book.adopt(turn, parts === null ? null : JSON.stringify(parts))
    return new RunJournal({
      engine,
      lease,
      book,
      isHeld: () => this.#leases.isHeld(lease),
      onStopRequested: () => active.stop('stop'),
      onStored: (turns) => loaded.named.add(turns),
    })
  }

  async #prepare(
    loaded: LoadedRun,
    journal: RunJournal,
    { lease, active }: Running,
    isFresh: boolean,
  ): Promise<DriveOptions> {
    const { engine, clock, at = async () => undefined } = this.#options
    const { loop, added } = restoreLoop(loaded.turns, loaded.record)
    for (const message of added) active.addMessage(message)
    return {
      loaded,
      isFresh,
      loop,
      env: await this.#environment(loaded, active, lease, journal),
      active,
      journal,
      inputs: new ModelInputs(engine, lease.session_id),
      clock,
      engine,
      lease,
      at,
      hasHook: this.#options.at !== undefined,
      language: this.#options.language,
      inTurn: oneAtATime(),
    }
  }

  async #environment(loaded: LoadedRun, active: ActiveRun, lease: Lease, journal: RunJournal): Promise<LoopEnv> {
    const { clock, ids, maxTurns, language } = this.#options
    const { headless, output_schema, mode } = loaded.options
    const disabled = disabledTools(loaded.session)
    // Read just now: since then both clocks have run equally far, whatever each of them shows.
    const readAt = clock.elapsed()
    return {
      model: this.#options.model(loaded.options.model)!,
      findModel: this.#options.model,
      context: createContext(this.#options.system(loaded)),
      tools: await this.#options.tools(loaded, (name, payload) => {
        if (active.reason !== undefined) return
        try {
          journal.write((book) => book.notify(name, payload))
        } catch (error) {
          // Tools call this from timers and sockets, too.
          active.break(error)
        }
      }),
      clock,
      ids,
      maxTurns,
      consentMs: this.#options.consentMs,
      decisionNow: () => loaded.readAt + clock.elapsed() - readAt,
      // Who only plans starts nobody.
      maxDepth: mode === 'planning' || disabled.includes(AGENT) ? 0 : MAX_DEPTH,
      parallelCalls: PARALLEL_CALLS,
      headless,
      asks: !headless && !disabled.includes(ASK),
      output: output_schema && outputContract(output_schema),
      inbox: active,
      signal: active.signal,
      isLeaving: () => active.reason === 'shutdown' || active.reason === 'lost',
      isShutdown: () => active.reason === 'shutdown',
      isDraining: () => active.isDraining || active.reason === 'lost',
      mayAct: () => this.#leases.mayAct(lease),
      texts: loopTexts(language),
    }
  }

  /** Says that the run goes on, and closes what its last owner left half-written. */
  #sayRecovered({ record }: LoadedRun, journal: RunJournal): void {
    const { language } = this.#options
    const words = { title: say('recovered.title', language), detail: say('recovered.detail', language) }
    journal.write((book) => {
      book.notify('system:notification', { notification_type: 'run:recovered', ...words, status: 'info' })
      for (const { turn_id } of brokenTurns(record)) book.endTurn(turn_id, 'interrupted', SERVER_STOPPED)
    })
  }

  /** A run that was tried too often, cannot be read, or whose model is gone, ends instead of being carried on. */
  #whyNot({ run, options, isDamaged }: LoadedRun): RunError | undefined {
    const { language } = this.#options
    if (run.takeovers > TAKEOVERS || isDamaged)
      return { code: 'recovery_failed', message: say('failure.recovery', this.#options.language) }
    if (!this.#options.model(options.model))
      return { code: 'model_not_available', message: say('failure.modelGone', language, { model: options.model }) }
    const missing = this.#missing(readNeeds(run.needs) ?? options)
    return missing === undefined
      ? undefined
      : { code: 'tool_error', message: say('failure.toolGone', language, { tool: missing }) }
  }
}

type Running = {
  lease: Lease
  active: ActiveRun
  done: Promise<void>
  look: () => Promise<void>
  journal?: RunJournal
}

/** What carrying these runs on takes, by run. */
function* needsOf(
  engine: Engine,
  leases: readonly Lease[],
): Work<ReadonlyMap<string, { needs: string; format: number }>> {
  const ids = leases.map(({ run_id }) => run_id)
  const rows = yield* run(engine.db.selectFrom('runs').select(['id', 'needs', 'format']).where('id', 'in', ids))
  return new Map(rows.map((row) => [row.id, row]))
}

/** The take-over counts against the run until it makes progress again. */
function* claimRun(seen: SeenLease, instance: string, leaseMs: number): Work<Lease | undefined> {
  const lease = yield* takeOver(seen, instance, leaseMs)
  if (lease) yield* runSql('UPDATE runs SET takeovers = takeovers + 1 WHERE id = ?', [lease.run_id])
  return lease
}

function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>) => {
    const next = last.then(work, work)
    last = next.catch(() => undefined)
    return next
  }
}
