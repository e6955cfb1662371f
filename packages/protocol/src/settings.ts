/** What a user, or a user's program, keeps on the server for themselves. */
import { z } from 'zod'
import { environmentSchema } from './environment.ts'
import { columnText, openObject } from './open-schema.ts'

/** Of a bucket or a preference, as it stands in the path. */
export const settingNameSchema = columnText
  .min(1)
  .max(200)
  .refine((text) => text.isWellFormed())

const MAX_VALUE = 16 * 1024
const MAX_VARIABLES = 200
const MAX_EXTRA = 64 * 1024

/** Body of `PUT /api/user/env-buckets/{bucket}`: what is there goes. */
export const envBucketBodySchema = z.object({
  env: environmentSchema.refine(
    (env) => Object.keys(env).length <= MAX_VARIABLES && JSON.stringify(env).length <= MAX_EXTRA,
    `must have at most ${MAX_VARIABLES} variables, ${MAX_EXTRA} characters together`,
  ),
})

/** Values are masked wherever a bucket is told. */
export const envBucketSchema = openObject({ bucket: z.string(), env: z.record(z.string(), z.string()) })
export type EnvBucket = z.infer<typeof envBucketSchema>

/** Body of `PUT /api/user/preferences/{key}`. */
export const preferenceBodySchema = z.object({ value: columnText.max(MAX_VALUE) })

/** Answer of `GET` and `PUT /api/user/preferences/{key}`; null: there is none. */
export const preferenceSchema = openObject({ value: z.string().nullable() })
export type Preference = z.infer<typeof preferenceSchema>

const MAX_SEEN = 1_000

/**
 * `GET` and `PUT /api/user/preferences/seen`: how far a user has seen each session, by the number of its last event. A mark
 * only moves on.
 */
export const seenMarksSchema = z.strictObject({
  seen: z
    .record(columnText.max(200), z.int().min(0))
    .refine((seen) => Object.keys(seen).length <= MAX_SEEN, `must have at most ${MAX_SEEN} sessions`),
})
export type SeenMarks = z.infer<typeof seenMarksSchema>

/** Body of `POST …/upset_extra_info`: takes the place of what was there. */
export const extraInfoBodySchema = z.object({
  extra: z
    .record(z.string(), z.unknown())
    .refine((extra) => JSON.stringify(extra).length <= MAX_EXTRA, `must have at most ${MAX_EXTRA} characters`),
})

/** Answer of `POST …/upset_extra_info` and `GET …/extra_info`; dates are null while there is none. */
export const extraInfoSchema = openObject({
  session_id: z.string(),
  extra: z.record(z.string(), z.unknown()),
  created_at: z.string().nullable(),
  updated_at: z.string().nullable(),
})
export type ExtraInfo = z.infer<typeof extraInfoSchema>

/** Answer of `GET /api/env`: the variables that set the server up, for its owners. Secrets are masked. */
export const environmentGroupSchema = openObject({
  group: z.string(),
  items: z.array(
    openObject({
      env_var: z.string(),
      value: z.string().nullable(),
      default: z.string().nullable(),
      remark: z.string(),
    }),
  ),
})
export type EnvironmentGroup = z.infer<typeof environmentGroupSchema>

/** Query of `GET /api/embed/origin`: `https://shop.example.com`, and nothing behind it. */
export const embedOriginQuerySchema = z.strictObject({
  origin: z
    .string()
    .max(300)
    .regex(
      /^https?:\/\/(?:[\da-z._-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/,
      'must be an origin such as https://shop.example.com',
    ),
})

/** Its answer: whether pages there may use this server and put `/chat` into a frame, and when the first one came since it started. */
export const embedOriginSchema = openObject({
  origin: z.string(),
  allowed: z.boolean(),
  may_frame: z.boolean(),
  allowed_origins: z.array(z.string()),
  first_visit_at: z.string().nullable(),
})
export type EmbedOrigin = z.infer<typeof embedOriginSchema>
