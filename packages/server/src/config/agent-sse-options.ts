import { z } from 'zod'

/** How the agent SSE protocol is spoken. */
export const agentSseSchema = z.strictObject({
  /** Model calls for one message. Default 10. */
  maxIterations: z.int().min(1).max(1_000).default(10),
  /** Event streams of this process, and callers that wait for an answer; beyond it 503. Default 1 000. */
  maxConcurrent: z.int().min(1).default(1_000),
  /** How long a run may take, in milliseconds; then it is stopped. Default 300 000. */
  maxDuration: z.int().min(1_000).max(86_400_000).default(300_000),
  /** How often a silent stream says that it is still there, in milliseconds. Default 15 000. */
  heartbeatInterval: z.int().min(1_000).max(600_000).default(15_000),
})

export type AgentSseOptions = z.output<typeof agentSseSchema>
