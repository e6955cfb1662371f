import type { EventName } from '@parley/protocol'
import type { JsonObject, JsonValue } from '../ports.ts'
import type { Work } from './work.ts'

/** Events that a tool may tell: all but those that only a run or its session can. */
export type NoticeName = Exclude<EventName, `${'chat' | 'turn' | 'session' | 'feedback'}:${string}` | 'system:error'>

/** What a tool that only changes our own database does: part of the transaction that stores its result. */
export type Effect = () => Work<EffectOutput>

export type EffectOutput = {
  result: JsonValue
  isError?: boolean
  /** Events for the session's clients. */
  notices?: { name: NoticeName; payload: JsonObject }[]
  /** Blocks that the turn gets after the result. */
  blocks?: { type: 'plan_status'; content: JsonObject }[]
}
