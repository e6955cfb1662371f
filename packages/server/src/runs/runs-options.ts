import type { EventName, EventPayload } from '@parley/protocol'
import type { Meter } from '../context/compaction/meter.ts'
import type { Clock, Ids, TextPace, Tools } from '../ports.ts'
import type { Lease } from '../store/gate.ts'
import type { LeaseKeeper } from '../store/lease-keeper.ts'
import type { Work } from '../store/work.ts'
import type { Language } from '../words/language.ts'
import type { Acceptance } from './accept/request.ts'
import type { Equipment } from './carry-on.ts'
import type { PointHook } from './points.ts'
import type { LoadedRun } from './restore/load-run.ts'
import type { WorkspaceStates } from './workspace-states.ts'

/** Puts a notice of something that a tool did into its run's journal; after the run has left it does nothing. */
export type NotifyClients = <Name extends EventName>(
  name: Name,
  payload: Omit<EventPayload<Name>, 'session_id' | 'event_seq'>,
) => void

/** What the agent of a session decides for a run, and what it gives the run to work with; disposed when the run leaves. */
export type RunSetup = Disposable & {
  /** What the model is told first. */
  system: string
  tools: Tools
  /** Of what the loop itself offers: whether the session has it. */
  hasLoopTool: (name: string) => boolean
  maxTurns: number
  /** The agent's own word on that, if it has one. */
  agentMaxTurns?: number | undefined
  /** How long a confirmation, and a person's consent, holds. */
  consentMs: number
  /** Values of the environment that no summary may hold. */
  secrets: () => Promise<readonly string[]>
}

export type RunsOptions = Equipment & {
  clock: Clock
  ids: Ids
  monotonicNow: () => number
  /** This process, among all that share the database. */
  instance: string
  leaseMs: number
  language: Language
  /** How long a stopping server lets answers and tools finish. */
  drainMs: number
  /** Whether this instance works on the same workspaces as the others; without, it claims nothing. */
  sharesWorkspaces: () => Promise<boolean>
  setup: (run: LoadedRun, notify: NotifyClients) => Promise<RunSetup>
  /** How long conversations are, and may be. */
  meter: Meter
  /** Starts the message that waited for a compaction, in the transaction of its end. */
  startQueued: (session_id: string) => Work<Acceptance | undefined>
  /** Earlier states of workspaces, where they are kept. */
  states?: WorkspaceStates | undefined
  /** Called when a run has left this instance, ended or not. */
  afterRun?: ((run: Lease) => void) | undefined
  onError: (error: unknown, lease: Lease) => void
  /** Called around every commit point; only tests give one that does something. */
  at?: PointHook
}

/** What a run is worked on with. */
export type WorkOptions = RunsOptions & {
  leases: LeaseKeeper
  pace: TextPace
  /** Called before a run is started, for the start of that run here. */
  beginner: () => (started: Acceptance | undefined) => void
}
