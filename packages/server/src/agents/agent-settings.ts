import { z } from 'zod'

/** What `agent.yaml` may say. Unknown names are errors. */
export const agentSettingsSchema = z.strictObject({
  /** What people see. Default: the folder's name. */
  display_name: z.string().min(1).max(100).optional(),
  description: z.string().max(1_000).optional(),
  /** Whether visitors may choose it. `default` is theirs in any case. Default false. */
  visitors: z.boolean().optional(),
  /** Id of the model that answers where neither the session nor the message names one. */
  model: z.string().min(1).max(200).optional(),
  /** Model calls per loop and run. Default: the server's `maxTurns`. */
  max_turns: z.int().min(1).max(1_000).optional(),
  /** Which of the server's own tools it has; `*` stands for any characters. Default: all. Those of its own folder it always has. */
  tools: z.array(z.string().min(1).max(100)).max(200).optional(),
})
export type AgentSettings = z.output<typeof agentSettingsSchema>

/** What `policy.yaml` may say; the meaning is that of the option `policy`. */
export const agentPolicySchema = z.strictObject({
  rules: z
    .array(
      z.strictObject({
        tool: z.string().min(1),
        arguments: z.record(z.string(), z.string()).optional(),
        decision: z.enum(['allow', 'ask', 'deny']),
      }),
    )
    .max(1_000)
    .default([]),
  headless: z.enum(['fail', 'deny', 'allow']).optional(),
  confirmation_minutes: z.number().min(0.01).max(10_080).optional(),
})
export type AgentPolicy = z.output<typeof agentPolicySchema>
