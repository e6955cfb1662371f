import { z } from 'zod'
import { columnText, openObject, orNull } from './open-schema.ts'

/** A rule about calls. The first that fits decides; where none does, the tool's risk does. */
export const policyRuleSchema = z.strictObject({
  /** Name of a tool; `*` stands for any characters. */
  tool: columnText.min(1).max(200),
  /** Arguments by name; `*` stands for any characters. All of them must fit. */
  arguments: z.record(columnText.min(1).max(200), columnText.max(10_000)).optional(),
  decision: z.enum(['allow', 'ask', 'deny']),
})
export type PolicyRule = z.infer<typeof policyRuleSchema>

/** Answer of `GET /api/policy`: what the configuration says. */
export const policySchema = openObject({
  /** In the order in which they are looked at. */
  rules: z.array(openObject(policyRuleSchema.shape)),
  /** What happens to a call that no rule is about, by its tool's risk. */
  defaults: openObject({ low: decision(), medium: decision(), high: decision() }),
  /** What becomes of a call that asks where nobody can be asked. */
  headless: z.enum(['fail', 'deny', 'allow']),
  confirmation_minutes: z.number(),
  sandbox: openObject({ level: z.string(), reason: orNull(z.string()) }),
})
export type Policy = z.infer<typeof policySchema>

/** Body of `POST /api/policy/preview`. */
export const policyPreviewBodySchema = z.strictObject({ rule: policyRuleSchema })

/** Answer: how many of one's last calls the rule is about. */
export const policyPreviewSchema = openObject({ calls: z.int(), matches: z.int() })
export type PolicyPreview = z.infer<typeof policyPreviewSchema>

/** Body of `POST /api/policy/try`. */
export const tryPolicySchema = z.strictObject({
  tool: z.string().min(1).max(300),
  arguments: z.record(z.string(), z.unknown()).default({}),
})
export type TryPolicy = z.input<typeof tryPolicySchema>

/** Its answer. No tool runs, and no path of a workspace is looked at. */
export const triedPolicySchema = openObject({
  decision: decision(),
  by: z.enum(['rule', 'risk', 'confirmation', 'host']),
  rule: orNull(z.int()),
})
export type TriedPolicy = z.infer<typeof triedPolicySchema>

function decision() {
  return z.enum(['allow', 'ask', 'deny'])
}
