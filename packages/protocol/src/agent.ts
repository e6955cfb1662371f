import { z } from 'zod'
import { columnText, openObject, orNull } from './open-schema.ts'

/** Which agent answers in a session, and the version of it that the session began with. */
export const sessionAgentSchema = openObject({ name: z.string(), version: z.string() })
export type SessionAgent = z.infer<typeof sessionAgentSchema>

/** Name of an agent in a request. What is no name at all is as unknown as any other. */
export const agentNameSchema = columnText.max(200)

export const agentVersionSchema = openObject({
  version: z.string(),
  created_at: z.string(),
  /** How many sessions began with it. */
  sessions: z.int(),
  is_current: z.boolean(),
})
export type AgentVersionInfo = z.infer<typeof agentVersionSchema>

/** An agent that a session may name. Visitors get its two names. */
export const agentSchema = openObject({
  name: z.string(),
  display_name: z.string(),
  description: orNull(z.string()),
  /** The one that new sessions get; null: the configuration itself. */
  version: orNull(z.string()).optional(),
  /** Since when new sessions get it. */
  loaded_at: orNull(z.string()).optional(),
  /** Why its folder could not become the newest version, a line each; for the owner. */
  problem: z.string().optional(),
  versions: z.array(agentVersionSchema).optional(),
})
export type Agent = z.infer<typeof agentSchema>

/** Answer of `GET /api/agents/{name}`. */
export const agentDetailSchema = openObject({
  ...agentSchema.shape,
  instructions: orNull(z.string()),
  files: z.array(openObject({ path: z.string(), bytes: z.int() })),
})
export type AgentDetail = z.infer<typeof agentDetailSchema>
