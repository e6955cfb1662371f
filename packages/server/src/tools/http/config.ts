import { z } from 'zod'
import type { Trust } from '../../egress/policy.ts'
import type { JsonObject, Replay, Risk } from '../../ports.ts'
import { TOOL_NAME } from '../safe-tool-name.ts'
import { keyOf } from './signature.ts'

/** What a model is told of one tool, with its schema; a larger one would push everything else out of the conversation. */
const MAX_CHARACTERS = 64 * 1024
const MIN_KEY_BYTES = 16

const written = {
  /** For the model: what it does, when to use it, what it gives back. */
  description: z.string().min(1),
  /** Its arguments: a JSON Schema of type object. Nothing else ever reaches the backend. */
  schema: z.looseObject({ type: z.literal('object', { error: 'must be "object"' }) }),
  /** Where calls are posted to. In the configuration it may be a private address; over REST only by `egress.allow`. */
  url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }),
  /** What requests and call backs are signed with: `whsec_` and base64, or any text; 16 bytes at least. */
  secret: z
    .string()
    .max(512)
    .refine((secret) => (keyOf(secret)?.length ?? 0) >= MIN_KEY_BYTES, {
      error: 'must have at least 16 characters, or be whsec_ and base64 of at least 16 bytes',
    }),
  /** What can go wrong at worst. `high` asks a person before every call. Default `medium`. */
  risk: z.enum(['low', 'medium', 'high']).optional(),
  /**
   * What becomes of a call that had begun when the server died, or whose connection broke. `never` (default): it is
   * reported as unknown. `safe`: asked again; twice is harmless. `keyed`: asked again under the same id, which the backend
   * does once.
   */
  replay: z.enum(['safe', 'never', 'keyed']).optional(),
  /** It changes nothing: may run beside others and while the agent only plans. Default false. */
  readOnly: z.boolean().optional(),
  /** Asks a person first, whatever the risk. Default false. */
  requiresConfirmation: z.boolean().optional(),
  /** What people read in place of the name. */
  display_name: z
    .union([z.string().min(1), z.strictObject({ zh: z.string().min(1), en: z.string().min(1) })])
    .optional(),
  /** How long the backend may take to answer, retries included, in milliseconds. Default 30 000. */
  timeoutMs: z.int().min(100).max(300_000).optional(),
  /** How long a result may take after a 202, in milliseconds. Default 900 000. */
  laterMs: z.int().min(100).max(86_400_000).optional(),
}

/** Existing clients draw tools with such names as sub-agents. */
const name = z
  .string()
  .regex(TOOL_NAME, 'must be letters, digits, _ and -, 64 at most')
  .refine((text) => !/agent|fork/i.test(text), { error: 'must not contain agent or fork' })

const isShort = (tool: object) => JSON.stringify(tool).length <= MAX_CHARACTERS
const tooLong = { error: `must not have more than ${MAX_CHARACTERS} characters, schema included` }

/** A tool in a product's backend, as the configuration and `POST /api/http-tools` have it. */
export const httpToolSchema = z.strictObject({ name, ...written }).refine(isShort, tooLong)

/** `PUT /api/http-tools/{name}`: the secret may be left as it is. */
export const changedHttpToolSchema = z
  .strictObject({ ...written, secret: written.secret.optional() })
  .refine(isShort, tooLong)

export type HttpToolOptions = z.output<typeof httpToolSchema>

/** One tool, with everything said. */
export type HttpTool = {
  name: string
  description: string
  display_name: { zh: string; en: string }
  schema: JsonObject
  url: string
  risk: Risk
  replay: Replay
  readOnly: boolean
  requiresConfirmation: boolean
  timeoutMs: number
  laterMs: number
}

/** The same as it is told. */
export const shownHttpToolSchema = z.object({
  name: z.string(),
  description: z.string(),
  display_name: z.object({ zh: z.string(), en: z.string() }),
  schema: z.looseObject({}),
  url: z.string(),
  risk: z.enum(['low', 'medium', 'high']),
  replay: z.enum(['safe', 'never', 'keyed']),
  readOnly: z.boolean(),
  requiresConfirmation: z.boolean(),
  timeoutMs: z.int(),
  laterMs: z.int(),
})

/** A tool with what it takes to call it. */
export type KeyedTool = HttpTool & { secret: string; trust: Trust }

export function withDefaults(tool: Omit<HttpToolOptions, 'secret'>): HttpTool {
  const { name, description, url, schema, display_name = name } = tool
  const { risk = 'medium', replay = 'never', readOnly = false, requiresConfirmation = false } = tool
  const { timeoutMs = 30_000, laterMs = 900_000 } = tool
  return {
    ...{ name, description, url, risk, replay, readOnly, requiresConfirmation, timeoutMs, laterMs },
    schema: schema as JsonObject,
    display_name: typeof display_name === 'string' ? { zh: display_name, en: display_name } : display_name,
  }
}
