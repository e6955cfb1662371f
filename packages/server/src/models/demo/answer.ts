import type { JsonObject } from '../../ports.ts'

/** What the demo says in one answer, before it is cut into deltas. */
export type DemoAnswer = {
  thinking?: string
  text?: string
  calls?: readonly { name: string; arguments: JsonObject }[]
  /** Nothing is said: the conversation is called too long, so that the server makes it shorter and asks again. */
  isTooLong?: true
  /** The pause between two deltas, as a multiple of the usual one. Default 1. */
  slowness?: number
}
