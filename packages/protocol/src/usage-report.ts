import { z } from 'zod'
import { columnText, openObject, orNull } from './open-schema.ts'

export const usageGroupSchema = z.enum(['model', 'user', 'key', 'outcome'])

/** Query of `GET /api/usage`. Runs count when they ended; a range is a week unless it is said. */
export const usageQuerySchema = z.strictObject({
  from: z.iso.datetime({ offset: true }).optional(),
  to: z.iso.datetime({ offset: true }).optional(),
  bucket: z.enum(['hour', 'day']).default('day'),
  /** Absent: all together. */
  by: usageGroupSchema.optional(),
  /** In which days begin. An IANA name. */
  timezone: columnText.min(1).max(100).default('UTC'),
})
export type UsageQuery = z.input<typeof usageQuerySchema>

const percentiles = orNull(openObject({ p50: z.int(), p95: z.int() }))

const figures = {
  runs: z.int(),
  failed: z.int(),
  interrupted: z.int(),
  /** They wait, or waited, for a person; the others were completed. */
  paused: z.int(),
  /** What came from a provider's cache included. */
  input_tokens: z.int(),
  cached_tokens: z.int(),
  output_tokens: z.int(),
  /** Estimated, by the prices in the configuration as they are now; absent where no model that was used has one. */
  cost: z.number().optional(),
  /** Some of these tokens have no price: the cost is of the others. */
  cost_is_partial: z.boolean().optional(),
  /** From accepting a message to the first that was seen of its answer; null where nothing was. */
  first_token_ms: percentiles,
  run_ms: percentiles,
  /** How long people were waited for, in all. */
  waited_ms: z.int(),
}

export const usageFiguresSchema = openObject(figures)
export type UsageFigures = z.infer<typeof usageFiguresSchema>

/** `key`: a model, a user's id, a key's id or an outcome; null where there is none, e.g. a run without an API key. */
export const usageRowSchema = openObject({
  key: orNull(z.string()),
  /** What people call it; null where it has no name, or none any more. */
  name: orNull(z.string()),
  ...figures,
})
export type UsageRow = z.infer<typeof usageRowSchema>

/** Answer of `GET /api/usage`. */
export const usageReportSchema = openObject({
  from: z.string(),
  to: z.string(),
  bucket: z.enum(['hour', 'day']),
  by: orNull(usageGroupSchema),
  timezone: z.string(),
  /** Of `cost`, ISO 4217. */
  currency: z.string(),
  total: usageFiguresSchema,
  /** The most used first; beyond fifty, the rest together with `key: "other"`. Empty without `by`. */
  groups: z.array(usageRowSchema),
  /** In the order of time, one for each group; what nothing happened in is left out. */
  buckets: z.array(openObject({ start: z.string(), ...usageRowSchema.shape })),
})
export type UsageReport = z.infer<typeof usageReportSchema>
