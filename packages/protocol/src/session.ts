import { z } from 'zod'
import { agentNameSchema, sessionAgentSchema } from './agent.ts'
import { modeSchema } from './block.ts'
import { environmentSchema } from './environment.ts'
import { columnText, openObject, orNull } from './open-schema.ts'
import { pageQueryShape, pageSchema } from './page.ts'
import { pendingQuestionSchema } from './question.ts'
import { skillSnapshotSchema } from './skill.ts'
import { solutionSchema } from './solution.ts'

export const sessionStatusSchema = z.enum([
  'created',
  'running',
  'completed',
  'failed',
  'interrupted',
  'waiting_for_input',
])
export type SessionStatus = z.infer<typeof sessionStatusSchema>

export const replayStateSchema = openObject({
  status: z.enum(['playing', 'paused', 'autonomous', 'finished']),
  speed: z.int(),
  source_session_id: z.string(),
  position: z.int(),
  total: z.int(),
})
export type ReplayState = z.infer<typeof replayStateSchema>

export const sessionSchema = openObject({
  id: z.string(),
  /** Purpose and title. */
  intent: z.string(),
  status: sessionStatusSchema,
  created_at: z.string(),
  updated_at: z.string(),
  user_id: z.string(),
  solution_id: orNull(z.string()),
  biz_role_id: orNull(z.string()),
  model: orNull(z.string()),
  shared: z.boolean(),
  is_pinned: z.boolean(),
  memory_enabled: z.boolean(),
  /** The workspace is kept until the session is deleted. */
  is_persistent: z.boolean(),
  replay_state: orNull(replayStateSchema),
  mode: modeSchema.default('executing'),
  /** For `since`. */
  last_event_seq: z.int().default(0),
  /** null: the configuration of the server. */
  agent: orNull(sessionAgentSchema),
})
export type Session = z.infer<typeof sessionSchema>

/** Answer of `GET /api/sessions/{session_id}` and of every `PATCH` below it that returns the detail. */
export const sessionDetailSchema = openObject({
  ...sessionSchema.shape,
  /** As it was when the session began. */
  solution: orNull(solutionSchema),
  /** The skill that the session began with, as it was then. */
  primary_skill_snapshot: orNull(skillSnapshotSchema),
  session_setup: openObject({
    model: orNull(z.string()),
    mode: modeSchema,
    disable_tools: orNull(z.array(z.string())),
    memory_enabled: z.boolean(),
    env_keys: z.array(z.string()),
  }),
  viewer_role: z.enum(['owner', 'viewer']),
  pending_question: orNull(pendingQuestionSchema),
})
export type SessionDetail = z.infer<typeof sessionDetailSchema>

/** Body of `POST /api/sessions`; an empty body counts as `{}`. */
export const createSessionSchema = z.object({
  intent: columnText.default(''),
  solution_id: orNull(z.string()),
  /** Needs `solution_id`. */
  biz_role_id: orNull(z.string()),
  /** Accepted and ignored, like `software_factory_id` and `workspace_id`. */
  template_id: orNull(z.string()),
  primary_skill_id: orNull(z.string()),
  /** null: the server's default. */
  model: orNull(z.string()),
  software_factory_id: orNull(z.int()),
  memory_enabled: orNull(z.boolean()),
  is_persistent: z.boolean().default(false),
  env: orNull(z.record(columnText, columnText)),
  workspace_id: orNull(z.string()),
  disable_tools: orNull(z.array(z.string())),
  /** Name of the agent that answers; null: `default`. */
  agent: orNull(agentNameSchema),
})
export type CreateSession = z.input<typeof createSessionSchema>

/** Answer of `POST /api/sessions`: the session, and its id under both names. */
export const createdSessionSchema = openObject({ session_id: z.string(), ...sessionSchema.shape })
export type CreatedSession = z.infer<typeof createdSessionSchema>

/** Query of `GET /api/sessions`. */
export const sessionQuerySchema = z.object({
  q: z.string().optional(),
  /** A non-empty value matches nothing. */
  template_id_prefix: z.string().optional(),
  status: sessionStatusSchema.optional(),
  /** `next` of the page before this one; instead of `offset`, which slips while sessions move. */
  before: z.string().max(300).optional(),
  /** Only those whose `updated_at` is later. */
  changed_since: z.iso.datetime({ offset: true }).optional(),
  ...pageQueryShape,
})
export type SessionQuery = z.input<typeof sessionQuerySchema>

export const sessionPageSchema = openObject({
  ...pageSchema(sessionSchema).shape,
  limit: z.int(),
  offset: z.int(),
  /** For `before`, to go on after this page; null: there is no more. */
  next: orNull(z.string()),
  /** True when the text search was cut short. */
  content_match_truncated: z.boolean().default(false),
})
export type SessionPage = z.infer<typeof sessionPageSchema>

/** Body of `PATCH /api/sessions/{session_id}`; null leaves the title alone. */
export const updateSessionSchema = z.object({ intent: orNull(columnText) })
export type UpdateSession = z.input<typeof updateSessionSchema>

/** Bodies of `PATCH …/pin`, `…/memory` and `…/sharing`. */
export const pinSessionSchema = z.object({ pinned: z.boolean() })
export const sessionMemorySchema = z.object({ memory_enabled: z.boolean() })
export const sessionSharingSchema = z.object({ shared: z.boolean() })

/** Body of `PUT …/env`: what is there goes. */
export const sessionEnvSchema = z.object({ env: environmentSchema })
export type SessionEnv = z.input<typeof sessionEnvSchema>
