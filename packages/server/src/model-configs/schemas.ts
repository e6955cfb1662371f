import { z } from 'zod'

const text = z.string().refine((value) => !/\p{Cc}/u.test(value), 'must not contain control characters')
const flag = z.boolean().default(false)

const model = z.object({
  model_id: text.trim().min(1).max(256),
  support_vision: flag,
  support_thinking: flag,
})
const models = z
  .array(model)
  .min(1)
  .max(200)
  .refine((all) => new Set(all.map(({ model_id }) => model_id)).size === all.length, 'must not name a model twice')

/** Goes into a header. */
const apiKey = z
  .string()
  .max(4_096)
  .regex(/^[\x21-\x7e]*$/, 'must be printable characters without spaces')

const fields = {
  name: text.trim().min(1).max(255),
  provider: z.enum(['openai', 'qwen']),
  base_url: z
    .string()
    .trim()
    .max(2_048)
    .refine((url) => url === '' || isHttpUrl(url), 'must be an http:// or https:// address'),
  api_key: apiKey,
  models,
  is_active: z.boolean(),
}

/** [O14] A missing key is told apart from one that is malformed. */
export const newConfigSchema = z.object({
  ...fields,
  base_url: fields.base_url.default(''),
  api_key: fields.api_key.default(''),
  is_active: fields.is_active.default(true),
})
export type NewModelConfig = z.output<typeof newConfigSchema>

/** Only what is to change. An empty key leaves the stored one. */
export const changedConfigSchema = z.object({ ...z.object(fields).partial().shape, updated_at: z.string().optional() })
export type ChangedModelConfig = z.output<typeof changedConfigSchema>

export const testConnectionSchema = z.object({
  base_url: fields.base_url.refine((url) => url !== '', 'must be an http:// or https:// address'),
  api_key: apiKey.min(1),
  model_id: model.shape.model_id.optional(),
})

/** A query's empty value says nothing. */
const absent = (value: unknown) => (value === '' ? undefined : value)
const count = (highest: number) => z.coerce.number().int().min(1).max(highest)

export const configQuerySchema = z.object({
  page: z.preprocess(absent, count(1_000_000).default(1)),
  page_size: z.preprocess(absent, count(100).default(20)),
  is_active: z.preprocess(absent, z.stringbool({ truthy: ['true'], falsy: ['false'] }).optional()),
  provider: z.preprocess(absent, fields.provider.optional()),
})

export const statusQuerySchema = z.object({ is_active: z.stringbool({ truthy: ['true'], falsy: ['false'] }) })

function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}
