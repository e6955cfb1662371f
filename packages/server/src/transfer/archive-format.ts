import { columnText } from '@parley/protocol/schemas'
import { z } from 'zod'

/** What an archive of a session calls itself. A server reads what is no newer than its own. */
export const FORMAT = 'parley-session'
export const FORMAT_VERSION = 1

/** The files of an archive. */
export const MANIFEST = 'manifest.json'
export const SESSION = 'session.json'
export const TURNS = 'turns.jsonl'
export const HISTORY = 'history.jsonl'
export const WORKSPACE = 'workspace/'

export const manifestSchema = z.object({
  format: z.literal(FORMAT),
  version: z.int().min(1),
  exported_at: z.string(),
})

/** Of a session, what an import takes. An export tells more, for people. */
export const exportedSessionSchema = z.object({
  intent: columnText.default(''),
  model: columnText.nullish(),
  agent: z.object({ name: columnText }).nullish(),
  solution_id: z.string().nullish(),
  biz_role_id: z.string().nullish(),
  memory_enabled: z.boolean().default(true),
  is_persistent: z.boolean().default(false),
  session_setup: z.object({ env_keys: z.array(z.string()).default([]) }).optional(),
})
export type ExportedSession = z.infer<typeof exportedSessionSchema>
