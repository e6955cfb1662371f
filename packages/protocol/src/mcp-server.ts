import { z } from 'zod'
import { openObject, orNull } from './open-schema.ts'

/**
 * `on_demand`: an agent's, started by its first session. `blocked`: connected, but a tool has changed and waits for the
 * owner. `starting`: not reached yet, and nothing has failed since.
 */
export const mcpStateSchema = z.enum(['ready', 'starting', 'on_demand', 'failed', 'blocked'])
export type McpState = z.infer<typeof mcpStateSchema>

export const mcpServerSchema = openObject({
  /** Names it in paths; of an agent's server, that and a mark of what its entry says. */
  name: z.string(),
  /** As the configuration calls it, and tools do. */
  server: z.string(),
  /** Whose `mcp.json` it is of; null: the configuration's. */
  agent: orNull(z.string()),
  transport: z.enum(['stdio', 'http']),
  state: mcpStateSchema,
  /** Null while it has not listed any. */
  tools: orNull(z.int()),
  blocked_tools: z.int(),
  /** When it last answered. */
  last_success_at: orNull(z.string()),
  failure: orNull(
    openObject({
      code: z.enum([
        'command_not_found',
        'not_executable',
        'ended',
        'timeout',
        'unauthorized',
        'not_found',
        'refused',
        'unreachable',
        'other',
      ]),
      /** In words, in the reader's language. */
      reason: z.string(),
      at: z.string(),
      /** For the owner: the first line that its program wrote to stderr, and the last. No value of its configuration. */
      said: z.array(z.string()).optional(),
    }),
  ),
  /** Failed attempts in a row. */
  retries: z.int(),
  next_try_at: orNull(z.string()),
})
export type McpServerHealth = z.infer<typeof mcpServerSchema>

/** Answer of `POST /api/mcp-servers/{name}/test`. */
export const mcpTestSchema = openObject({ ok: z.boolean(), ms: z.number(), server: mcpServerSchema })
export type McpTest = z.infer<typeof mcpTestSchema>
