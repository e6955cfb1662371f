import type { Policy, PolicyPreview, PolicyRule, TriedPolicy, TryPolicy } from '@parley/protocol/rest'
import type { Rest } from '../rest/rest.ts'

export type PolicyApi = {
  /** What the configuration says about calls. */
  get(): Promise<Policy>
  /** How many of one's last calls a rule is about. */
  preview(rule: PolicyRule): Promise<PolicyPreview>
  /** For owners: what the rules say to a call; nothing runs. */
  tryOut(call: TryPolicy): Promise<TriedPolicy>
}

export function createPolicyApi(rest: Rest): PolicyApi {
  return {
    get: () => rest.get('/api/policy'),
    preview: (rule) => rest.post('/api/policy/preview', { rule }),
    tryOut: (call) => rest.post('/api/policy/try', call),
  }
}
