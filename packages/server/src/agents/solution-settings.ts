import { z } from 'zod'
import { type AgentSettings, agentSettingsSchema } from './agent-settings.ts'

const { model, max_turns, tools } = agentSettingsSchema.shape

const text = (max: number) => z.string().trim().min(1, 'must not be empty').max(max)
export const MAX_ROLES = 32
const ROLE_ID = /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/
export const ID_CHARACTERS = 'letters, digits, _ and -, 64 at most'
const id = z.string().regex(ROLE_ID, `must be ${ID_CHARACTERS}`)
const skillId = z
  .string()
  .max(128)
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9._-]*(?:\/[a-zA-Z0-9][a-zA-Z0-9._-]*)?$/, 'must be the id of a skill: name or org/name')

/** What a solution and each of its roles may say of themselves; a role's word counts before its solution's. */
const shared = {
  /** The folder's name, for whoever reads the file alone. */
  id: z.string().optional(),
  /** What people see. */
  name: text(100),
  version: z.union([z.string(), z.number()]).transform(String).optional(),
  description: z.string().max(1_000).optional(),
  /** How a product draws it; this server passes it on. */
  layout_type: z.string().min(1).max(50).optional(),
  /** The mode of a session that begins. Default `executing`. */
  initial_mode: z.enum(['planning', 'executing']).optional(),
  /** What people read before they write the first message. The model does not get it. */
  initial_message: text(2_000).optional(),
  /** What a product shows beside the chat; this server passes it on. */
  preview: z.strictObject({ url: z.string().min(1).max(2_000), title: z.string().max(200).optional() }).optional(),
  /** Which skills of `skillDirs` it has. Default: those that `tools` grants. */
  imported_skills: z.array(skillId).max(200).optional(),
  ...{ model, max_turns, tools },
}

/** What `solution.yaml` may say. Unknown names are errors. */
export const solutionSettingsSchema = z.strictObject({
  ...shared,
  manifest_version: z.literal(3, { error: 'must be 3' }).optional(),
  /** Its roles; the first is that of sessions that name none. Default: all, in the order of their names. */
  roles: z
    .array(id)
    .max(MAX_ROLES)
    .refine((roles) => new Set(roles).size === roles.length, 'names a role twice')
    .optional(),
  /** Whatever a product wants to know of it; clients get it as it is. */
  data: z.record(z.string(), z.json()).optional(),
  skill_tools_enabled: z
    .literal(true, { error: 'cannot be switched off; a role without local_skills has none' })
    .optional(),
})
export type SolutionSettings = z.output<typeof solutionSettingsSchema>

/** What `roles/<id>/role.yaml` may say. */
export const roleSettingsSchema = z.strictObject({
  ...shared,
  /** Which skills of the solution's `skills/` it has. */
  local_skills: z.array(skillId).max(200).default([]),
  /** Which servers of the solution's `mcp.json` it has. Default: all. */
  mcp_servers: z.array(z.string().min(1).max(100)).max(100).optional(),
})
export type RoleSettings = z.output<typeof roleSettingsSchema>

/** A role as its folder describes it. */
export type DescribedRole = { id: string; settings: RoleSettings; instructions: string | null }

/** A solution as its folder describes it; the order of the roles is the author's. */
export type DescribedSolution = { id: string; settings: SolutionSettings; roles: readonly DescribedRole[] }

export function isRoleId(id: string): boolean {
  return ROLE_ID.test(id)
}

/** Where a role says what it is. */
export function roleFile(role: string): string {
  return `roles/${role}/role.yaml`
}

/** What `agent.yaml` would say. */
export function settingsOf({
  name,
  description,
  model,
  max_turns,
  tools,
}: SolutionSettings | RoleSettings): AgentSettings {
  return {
    display_name: name,
    ...(description !== undefined && { description }),
    ...(model !== undefined && { model }),
    ...(max_turns !== undefined && { max_turns }),
    ...(tools !== undefined && { tools }),
  }
}
