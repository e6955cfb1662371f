/** What the server says about itself and about the caller. */
import { z } from 'zod'
import { openObject, orNull } from './open-schema.ts'
import { scopeSchema } from './visitor-token.ts'

export const healthSchema = openObject({ status: z.enum(['ok', 'starting', 'stopping']) })
export type Health = z.infer<typeof healthSchema>

/** Where a model comes from; visitors are not told. `variable` holds its key or its address. */
export const modelSourceSchema = openObject({
  from: z.enum(['environment', 'configuration', 'added', 'demo']),
  variable: z.string().optional(),
})
export type ModelSource = z.infer<typeof modelSourceSchema>

/** What a million tokens cost. `cached`: of the input, those from the provider's cache. `currency` as ISO 4217 has it. */
export const modelPriceSchema = openObject({
  input: z.number(),
  cached: z.number(),
  output: z.number(),
  currency: z.string(),
})
export type ModelPrice = z.infer<typeof modelPriceSchema>

/** Answer of `GET /api/config/models`. */
export const modelsConfigSchema = openObject({
  default: z.string(),
  models: z.array(
    openObject({
      id: z.string(),
      name: z.string(),
      context_window: z.int().optional(),
      supports_vision: z.boolean().optional(),
      supports_thinking: z.boolean().optional(),
      source: modelSourceSchema.optional(),
      /** For estimates; visitors are not told. */
      price: modelPriceSchema.optional(),
    }),
  ),
})
export type ModelsConfig = z.infer<typeof modelsConfigSchema>

/** Answer of `GET /api/version`; `protocol` and `capabilities` are absent on servers without extensions. */
export const versionSchema = openObject({
  version: z.string(),
  min_sdk: z.string(),
  protocol: z.string().optional(),
  capabilities: z.array(z.string()).default([]),
})
export type Version = z.infer<typeof versionSchema>

/** Answer of `GET /api/auth/me`. */
export const identitySchema = openObject({
  id: z.string(),
  username: z.string(),
  avatar_url: orNull(z.string()),
  created_at: z.string(),
  display_name: z.string().nullish(),
  /** `visitor`: of a product that embeds the chat. Absent on servers without roles. */
  role: z.enum(['owner', 'member', 'visitor']).optional(),
  /** Of a visitor: the product's own id of them. */
  subject: z.string().optional(),
  /** Of a visitor: what their token is good for. */
  scopes: z.array(scopeSchema).optional(),
})
export type Identity = z.infer<typeof identitySchema>

/** Query of `GET /api/auth/login`; `next` must lie on the same origin. */
export const loginQuerySchema = z.object({ code: z.string().default(''), next: z.string().default('/') })

/** Answer of `POST /api/auth/logout`. */
export const logoutSchema = openObject({ ok: z.literal(true), logout_url: orNull(z.string()) })

/** Answer of `GET /api/config`; further switches may be present. */
export const serverConfigSchema = openObject({
  asrEnabled: z.boolean(),
  publicSharingEnabled: z.boolean(),
  memoryEnabled: z.boolean(),
  /** Questions to go on with can be asked for: `GET …/suggestions`. */
  suggestionsEnabled: z.boolean().default(false),
})
export type ServerConfig = z.infer<typeof serverConfigSchema>
