import type { Policy, PolicyPreview } from '@parley/protocol/rest'
import { policyPreviewBodySchema, policyPreviewSchema, policySchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import { fits } from '../confirm/policy.ts'
import type { ServerConfig } from '../config/options.ts'
import { readBody } from '../http/ignored-fields.ts'
import { needs, principalOf } from '../http/signed-in.ts'
import type { JsonObject } from '../ports.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Engine } from '../store/engine.ts'
import { pastCalls } from './past-calls.ts'

export type PolicyRoutesOptions = {
  engine: Engine
  policy: ServerConfig['policy']
  sandbox: Pick<Sandbox, 'level' | 'reason'>
}

/** What happens to a call that no rule is about. */
const DEFAULTS = { low: 'allow', medium: 'allow', high: 'ask' } as const

/** [W11.9] The rules of the configuration, and how often one would have counted. */
export function policyRoutes(app: FastifyInstance, { engine, policy, sandbox }: PolicyRoutesOptions): void {
  const { rules, headless, confirmationMinutes: confirmation_minutes } = policy
  const { level, reason } = sandbox

  const reading = needs('account', {
    says: ['Which calls run, ask or are refused', '哪些调用直接执行、需要同意或被拒绝'],
    answer: policySchema,
  })
  app.get('/api/policy', reading, async (): Promise<Policy> => ({
    ...{ rules, defaults: DEFAULTS, headless, confirmation_minutes },
    sandbox: { level, reason },
  }))

  const previewing = needs('account', {
    says: ['How many of your last calls a rule is about', '统计一条规则会匹配最近多少次调用'],
    body: policyPreviewBodySchema,
    answer: policyPreviewSchema,
  })
  app.post('/api/policy/preview', previewing, async (request): Promise<PolicyPreview> => {
    const { rule } = readBody(request, policyPreviewBodySchema)
    const calls = await pastCalls(engine, principalOf(request).user_id)
    const isAbout = ({ tool_name, input }: (typeof calls)[number]) =>
      fits(rule, tool_name, { seen: input as JsonObject, isOther: true })
    return { calls: calls.length, matches: calls.filter(isAbout).length }
  })
}
