import { AgentError } from '@parley/protocol'
import type { TriedPolicy } from '@parley/protocol/rest'
import { triedPolicySchema, tryPolicySchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import { type PolicyRule, ruleFor, standingOf } from '../confirm/policy.ts'
import { readBody } from '../http/ignored-fields.ts'
import { needs } from '../http/signed-in.ts'
import type { JsonValue } from '../ports.ts'
import type { ToolCatalog } from './catalog.ts'

export type TryPolicyOptions = {
  catalog: Pick<ToolCatalog, 'listed'>
  policy: { rules: readonly PolicyRule[] }
}

/** What the rules say to a call that nobody makes, for who writes them. */
export function tryPolicyRoute(app: FastifyInstance, { catalog, policy }: TryPolicyOptions): void {
  const { rules } = policy
  const trying = needs('owner', {
    says: ['What the rules say to a call; nothing runs', '试算策略结果，不会执行'],
    body: tryPolicySchema,
    answer: triedPolicySchema,
  })
  app.post('/api/policy/try', trying, async (request): Promise<TriedPolicy> => {
    const { tool: name, arguments: input } = readBody(request, tryPolicySchema)
    const found = ruleFor(name, input as JsonValue, rules)
    if (found) return { ...found, by: 'rule' }
    const tool = (await catalog.listed('en')).find((one) => one.name === name)
    if (!tool) throw new AgentError('not_found', `There is no tool ${name}.`)
    const { risk, requires_confirmation: requiresConfirmation = false, chooses_host = false } = tool
    const { decision, by } = standingOf({ name, risk, requiresConfirmation }, [])
    if (decision === 'allow' && chooses_host) return { decision: 'ask', by: 'host', rule: null }
    return { decision, by, rule: null }
  })
}
