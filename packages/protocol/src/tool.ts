import { z } from 'zod'
import { riskSchema } from './confirmation.ts'
import { openObject, orNull } from './open-schema.ts'
import { pageSchema } from './page.ts'

const decision = z.enum(['allow', 'ask', 'deny'])

/**
 * What the policy says to a call, as far as that is known without its arguments. `rule` counts from 1. `exceptions`: rules
 * before it that look at arguments, and decide where those fit.
 */
export const toolPolicySchema = openObject({
  decision,
  /** `risk`: no rule names the tool. `confirmation`: neither, and it wants to be confirmed whatever its risk. */
  by: z.enum(['rule', 'risk', 'confirmation']),
  rule: orNull(z.int()),
  exceptions: z.array(openObject({ rule: z.int(), decision })),
  /** Where no rule decides: a host that nobody has named asks first. */
  asks_for_hosts: z.boolean(),
})
export type ToolPolicy = z.infer<typeof toolPolicySchema>

/** An entry of `GET /api/tools`. Those of foreign servers have a `server`, and `versions` while they are blocked. */
export const toolEntrySchema = openObject({
  name: z.string(),
  display_name: z.string(),
  description: z.string(),
  provider: z.string(),
  risk: riskSchema,
  requires_confirmation: z.boolean().optional(),
  read_only: z.boolean(),
  replay: z.string().optional(),
  status: z.enum(['ready', 'blocked', 'down']),
  input: z.looseObject({}),
  /** The model chooses which address a call asks. */
  chooses_host: z.boolean().optional(),
  /** It touches nothing but the server's own database. */
  is_internal: z.boolean().optional(),
  server: z.string().optional(),
  versions: openObject({ approved: z.looseObject({}), offered: z.looseObject({}) }).optional(),
})

/** Where a tool comes from. */
export const toolKindSchema = z.enum(['built_in', 'mcp', 'skill', 'own', 'http'])
export type ToolKind = z.infer<typeof toolKindSchema>

export const toolSchema = openObject({
  ...toolEntrySchema.shape,
  kind: toolKindSchema,
  policy: toolPolicySchema,
  /** Calls of the caller since midnight, UTC; null where calls are not recorded: it only changes the server's own database. */
  used_today: orNull(z.int()),
})
export type Tool = z.infer<typeof toolSchema>

/** What confines commands; `reason`: why nothing better does. */
export const sandboxSchema = openObject({
  level: z.string(),
  reason: orNull(z.string()),
  limits: z.record(z.string(), z.unknown()),
})
export type SandboxInfo = z.infer<typeof sandboxSchema>

/** Answer of `GET /api/tools`. */
export const toolListSchema = openObject({ ...pageSchema(toolSchema).shape, sandbox: sandboxSchema })
export type ToolList = z.infer<typeof toolListSchema>

export const toolCallEntrySchema = openObject({
  tool_call_id: z.string(),
  at: z.string(),
  session_id: z.string(),
  session_title: orNull(z.string()),
})
export type ToolCallEntry = z.infer<typeof toolCallEntrySchema>

/** Answer of `GET /api/tools/{name}`: with the caller's last calls, the newest first. */
export const toolDetailSchema = openObject({ ...toolSchema.shape, calls: z.array(toolCallEntrySchema) })
export type ToolDetail = z.infer<typeof toolDetailSchema>
