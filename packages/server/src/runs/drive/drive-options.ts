import type { LoopEnv } from '../../core/loop-env.ts'
import type { LoopState } from '../../core/loop-state.ts'
import type { ModelInputs } from '../../context/model-inputs.ts'
import type { Clock } from '../../ports.ts'
import type { ActiveRun } from '../active-run.ts'
import type { RunEnd } from './end-run.ts'
import type { LoadedRun } from '../restore/load-run.ts'
import type { PointHook } from '../points.ts'
import type { RunJournal } from './run-journal.ts'
import type { Language } from '../../words/language.ts'
import type { Work } from '../../store/work.ts'
import type { Acceptance } from '../accept/request.ts'

/** Everything a run is driven with. */
export type DriveOptions = {
  loaded: LoadedRun
  /** Started by its message just now, not carried on. */
  isFresh: boolean
  loop: LoopState
  env: LoopEnv
  active: ActiveRun
  journal: RunJournal
  inputs: ModelInputs
  clock: Clock
  engine: RunEnd['engine']
  lease: RunEnd['lease']
  /** Called around every commit point; only tests give one that does something. */
  at: PointHook
  /** Spares the hot path a wait per token. */
  hasHook: boolean
  language: Language
  /** Of a run that only makes room: the message that waits for its end, in the transaction of that end. */
  startQueued: (session_id: string) => Work<Acceptance | undefined>
  /** Asked before that transaction, for the start of what it has started. */
  beginner: () => (started: Acceptance | undefined) => void
  /** Commands are applied one at a time, by this run or on a hint from outside. */
  inTurn: <T>(work: () => Promise<T>) => Promise<T>
}
