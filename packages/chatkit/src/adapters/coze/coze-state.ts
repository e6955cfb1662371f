import type { AdapterIO } from '../../model/chat-adapter.ts'
import type { ChatOp } from '../../model/chat-op.ts'

/** A call whose result has not come: results name no call, so the oldest one waits for the next result. */
export type WaitingCall = { key: string; name: string; input: unknown }

export type CozeState = {
  isNamed: boolean
  waiting: readonly WaitingCall[]
  questions: readonly string[]
  isComplete: boolean
  /** Tools the platform wants the page to run. */
  required: readonly RequiredCall[]
}

export type RequiredCall = { id: string; name: string; arguments: string }
export type CozeStep = readonly [CozeState, readonly ChatOp[]]

/** One request of the API; gives `data` of the envelope, or the `whole` answer. */
export type CozeCall = (io: AdapterIO, method: string, path: string, body?: unknown, part?: 'whole') => Promise<unknown>
