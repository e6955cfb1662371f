import type { Usage } from '@parley/protocol'

/** How a run came to whoever had it. `null`: the record does not say. */
export type Cause = 'accepted' | 'take_over' | 'hand_back'

type Stretch = {
  /** Unique in its timeline. */
  id: string
  from: number
  to: number
  /** Places in the list of events: of the first and the last that it was drawn from. */
  first: number
  last: number
  /** It is under way. */
  isOpen: boolean
}

export type OwnerBar = Stretch & { kind: 'owner'; instance: string | null; epoch: number | null; cause: Cause | null }
/** Nobody had the run. */
export type NobodyBar = Stretch & { kind: 'nobody'; cause: Cause }
export type ModelBar = Stretch & {
  kind: 'model'
  loop_id: string
  /** Counted over the whole timeline, from 1. */
  call: number
  /** The one that answered, or was asked. */
  model: string | null
  /** When the first of its answer came. */
  firstAt: number | null
  /** It broke off. */
  isCut: boolean
  isCompaction: boolean
  usage: Usage | null
}
export type ToolBar = Stretch & {
  kind: 'tool'
  loop_id: string
  tool_call_id: string
  tool_name: string
  display_name: string
  /** One argument that tells what it is about. */
  summary: string
  attempt: number
  /** `cut`: begun again after its server died. `unknown`: nobody knows whether it took effect. `null`: under way. */
  outcome: 'done' | 'error' | 'cancelled' | 'unknown' | 'cut' | null
  /** A sub-agent works for it. */
  isFork: boolean
}
export type PersonBar = Stretch & {
  kind: 'person'
  about: 'consent' | 'question'
  question_id: string
  /** Of consent: where it is told who decided. */
  confirmation_id: string | null
  /** What consent was asked for, in words. */
  display_name: string | null
  risk: string | null
  /** `null`: still asked. */
  outcome: 'approved' | 'rejected' | 'answered' | 'withdrawn' | null
}
/** Somebody did something at one moment. */
export type TickBar = Stretch & { kind: 'tick'; what: 'added' | 'stop' }

export type Bar = OwnerBar | NobodyBar | ModelBar | ToolBar | PersonBar | TickBar
