import { z } from 'zod'
import { openObject } from './open-schema.ts'
import { pageQueryShape, pageSchema } from './page.ts'
import { usageSchema } from './usage.ts'

/** A run as it is remembered. `waiting`: it has paused for a person. */
export const runSchema = openObject({
  run_id: z.string(),
  started_at: z.string(),
  /** When it was over; of one that paused, when its wait was over. `null` before that. */
  ended_at: z.string().nullable(),
  status: z.enum(['running', 'waiting', 'completed', 'failed', 'interrupted']),
  finish_reason: z.string().nullable(),
  /** `null` until it ends, and where no provider told. */
  usage: usageSchema.nullable(),
  /** Estimated, by the prices in the configuration as they are now, once it has ended or waits; absent without a price. */
  cost: z.number().optional(),
  /** Some of its tokens have no price: the cost is of the others. */
  cost_is_partial: z.boolean().optional(),
  /** Of `cost`, ISO 4217. */
  currency: z.string().optional(),
  /** How often another instance, or this one after a crash, had to carry it on. Hand-backs do not count. */
  takeovers: z.int(),
  /** How long it has waited for a person after it paused. */
  waited_ms: z.int(),
  /** The one that was asked for. */
  model: z.string().nullable(),
  /** The run that had paused, and in whose turn this one goes on. */
  continues: z.string().nullable(),
})
export type Run = z.infer<typeof runSchema>

/** Query of `GET …/runs`. */
export const runQuerySchema = z.strictObject(pageQueryShape)
export type RunQuery = z.input<typeof runQuerySchema>

export const runPageSchema = pageSchema(runSchema)
export type RunPage = z.infer<typeof runPageSchema>

/** At most this many events are in one answer of `GET …/events`. */
export const MAX_EVENTS = 1_000

/** Query of `GET …/events`. */
export const recordedEventQuerySchema = z.strictObject({
  /** Of one run; absent: all that happened in the session. */
  run_id: z.string().optional(),
  /** Only events with greater numbers. */
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(MAX_EVENTS).default(MAX_EVENTS),
  /** `1`: also what is recorded and never sent. `full`: with what models were given. */
  hidden: z.enum(['0', '1', 'full']).default('0'),
})
export type RecordedEventQuery = z.input<typeof recordedEventQuerySchema>

/** An event as it lies in the journal. */
export const recordedEventSchema = openObject({
  event_seq: z.int(),
  /** Milliseconds since 1970. */
  at: z.int(),
  type: z.string(),
  run_id: z.string().nullable(),
  loop_id: z.string().nullable(),
  turn_id: z.string().nullable(),
  /** `null`: too long for an answer, or not to be read. */
  data: z.record(z.string(), z.unknown()).nullable(),
  /** Where `data` is too long: how many bytes it has. */
  data_bytes: z.int().optional(),
})
export type RecordedEvent = z.infer<typeof recordedEventSchema>

export const recordedEventsSchema = openObject({
  items: z.array(recordedEventSchema),
  /** Text increments up to this number may have been pruned; finished turns stay. */
  floor: z.int(),
  /** Number of the session's last event. */
  head: z.int(),
  /** `after` of the next page; `null`: there is no more now. */
  next: z.int().nullable(),
  /** Why the answer ends where it does, if there is more. */
  limited_by: z.enum(['count', 'bytes']).nullable(),
})
export type RecordedEvents = z.infer<typeof recordedEventsSchema>
