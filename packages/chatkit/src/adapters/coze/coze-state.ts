import type { AdapterIO } from '../../model/chat-adapter.ts'
import type { ChatOp } from '../../model/chat-op.ts'
import { asObject, type JsonObject } from '../../stream/parse-json.ts'

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

export type CozeRequest = {
  path: string
  /** Default: `POST` with a body, else `GET`. */
  method?: string
  body?: unknown
}

/** One request of the API; gives the whole envelope. */
export type CozeCall = (io: AdapterIO, request: CozeRequest) => Promise<JsonObject>

/** What the envelope is about. */
export const dataOf = async (answer: Promise<JsonObject>): Promise<JsonObject> => asObject((await answer)['data'])
