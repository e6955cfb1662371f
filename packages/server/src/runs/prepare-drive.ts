import { createContext } from '../context/context.ts'
import { ModelInputs } from '../context/model-inputs.ts'
import type { LoopEnv } from '../core/loop-env.ts'
import { AGENT, ASK } from '../core/offer.ts'
import type { Lease } from '../store/gate.ts'
import type { ActiveRun } from './active-run.ts'
import { Compactor } from './drive/compactor.ts'
import type { DriveOptions } from './drive/drive-options.ts'
import { loopTexts } from './drive/loop-texts.ts'
import { outputContract } from './drive/output-contract.ts'
import { recalledMemories } from './drive/recalled-memories.ts'
import { RunJournal } from './drive/run-journal.ts'
import type { LoadedRun } from './restore/load-run.ts'
import { restoreLoop } from './restore/restore.ts'
import type { RunOwner } from './run-owner.ts'
import type { NotifyClients, RunSetup, WorkOptions } from './runs-options.ts'
import { TurnBook } from './turn-book.ts'

const MAX_DEPTH = 3
const PARALLEL_CALLS = 8

/** The book with the turns that were left open, and the way into the journal. */
export function openJournal(
  loaded: LoadedRun,
  running: { lease: Lease; active: ActiveRun; untold?: RunOwner },
  { engine, clock, ids, model, leases, meter }: WorkOptions,
): RunJournal {
  const { lease, active } = running
  const book = new TurnBook({
    run_id: lease.run_id,
    clock,
    ids,
    nextSequence: loaded.nextSequence,
    // Learned in the middle of a run, too.
    contextWindow: (id) => meter.knownWindow(id !== null && model(id) ? id : loaded.options.model),
    solution_id: loaded.session.solution_id,
  })
  if (running.untold) book.hidden('run:owner', running.untold)
  for (const { turn, parts } of [...loaded.turns, ...loaded.record.open])
    if (turn.status === 'paused' || turn.status === 'streaming')
      book.adopt(turn, parts === null ? null : JSON.stringify(parts))
  return new RunJournal({
    engine,
    lease,
    book,
    isHeld: () => leases.isHeld(lease),
    onStopRequested: () => active.stop('stop'),
    onStored: (turns) => {
      delete running.untold
      loaded.named.add(turns)
      loaded.sources.add(turns)
    },
  })
}

type Opened = {
  loaded: LoadedRun
  journal: RunJournal
  setup: RunSetup
  lease: Lease
  active: ActiveRun
  isFresh: boolean
}

/** The loop as the journal tells it, with everything that it is driven with. */
export function prepareDrive(opened: Opened, options: WorkOptions): DriveOptions {
  const { loaded, journal, lease, active, isFresh } = opened
  const { engine, clock, language, at, startQueued, beginner } = options
  const meter = options.meter.within(active.signal)
  const { loop, added } = restoreLoop(loaded.turns, loaded.record)
  for (const message of added) active.addMessage(message)
  const inTurn = oneAtATime()
  const env = environment(opened, options)
  const { secrets } = opened.setup
  env.compaction = new Compactor({ engine, lease, journal, active, inTurn, env, meter, secrets })
  return {
    ...{ loaded, isFresh, loop, active, journal, clock, engine, lease, language, env, inTurn, startQueued, beginner },
    inputs: new ModelInputs(engine, lease.session_id),
    memories: recalledMemories(loaded),
    at: at ?? (async () => undefined),
    hasHook: at !== undefined,
  }
}

function environment({ loaded, setup, lease, active }: Opened, options: WorkOptions): LoopEnv {
  const { clock, ids, language, leases, model, pace, at } = options
  const { headless, output_schema, mode, asks = true } = loaded.options
  const { system, tools, hasLoopTool, consentMs } = setup
  const { max_turns = setup.maxTurns, turns_before = 0, closes = false, interrupted } = loaded.options
  const texts = loopTexts(language)
  // Read just now: since then both clocks have run equally far, whatever each of them shows.
  const readAt = clock.elapsed()
  return {
    model: model(loaded.options.model)!,
    findModel: model,
    context: createContext(system),
    tools,
    clock,
    ids,
    // Whoever stops at every commit point sees each piece of text.
    ...(at === undefined && { pace }),
    maxTurns: Math.max(0, Math.min(max_turns, setup.agentMaxTurns ?? Infinity) - turns_before),
    closes,
    ...(interrupted !== undefined && { interrupted }),
    consentMs,
    decisionNow: () => loaded.readAt + clock.elapsed() - readAt,
    // Who only plans starts nobody.
    maxDepth: mode === 'planning' || !hasLoopTool(AGENT) ? 0 : MAX_DEPTH,
    parallelCalls: PARALLEL_CALLS,
    headless,
    asks: asks && !headless && hasLoopTool(ASK),
    output: output_schema && outputContract(output_schema),
    inbox: active,
    signal: active.signal,
    isLeaving: () => active.reason === 'shutdown' || active.reason === 'lost',
    isShutdown: () => active.reason === 'shutdown',
    isDraining: () => active.isDraining || active.reason === 'lost',
    mayAct: () => leases.mayAct(lease),
    texts: { ...texts, maxTurns: (count) => texts.maxTurns(turns_before + count) },
  }
}

/** For tools that tell the session's clients something while they work. */
export function notifier(journal: RunJournal, active: ActiveRun): NotifyClients {
  return (name, payload) => {
    if (active.reason !== undefined) return
    try {
      journal.write((book) => book.notify(name, payload))
    } catch (error) {
      // Tools call this from timers and sockets, too.
      active.break(error)
    }
  }
}

function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>) => {
    const next = last.then(work, work)
    last = next.catch(() => undefined)
    return next
  }
}
