import { AgentError } from '@parley/protocol'
import type { UsageReport } from '@parley/protocol/rest'
import { usageQuerySchema, usageReportSchema } from '@parley/protocol/schemas'
import type { FastifyInstance } from 'fastify'
import { mayDo } from '../auth/principal.ts'
import type { ServerConfig } from '../config/options.ts'
import { pricesOf } from '../config/price-options.ts'
import { readQuery } from '../http/ignored-fields.ts'
import { needs, principalOf } from '../http/signed-in.ts'
import type { Engine } from '../store/engine.ts'
import { bucketsOf } from './buckets.ts'
import { namesOf } from './names-of.ts'
import { readUsage } from './read-usage.ts'
import { Tally } from './tally.ts'

type UsageRoutesOptions = {
  engine: Engine
  config: Pick<ServerConfig, 'models' | 'prices' | 'currency'>
  now: () => number
}

const DAY = 24 * 3_600_000
const WEEK = 7 * DAY
/** What a range may span: as many buckets as a plot can show. */
const LONGEST = { hour: 31 * DAY, day: 400 * DAY } as const

export function usageRoutes(app: FastifyInstance, { engine, config, now }: UsageRoutesOptions): void {
  const prices = pricesOf(config)
  const reading = needs('account', {
    says: ['Runs, tokens, costs and times of a range', '一段时间内的运行、令牌、费用与耗时'],
    query: usageQuerySchema,
    answer: usageReportSchema,
  })
  app.get('/api/usage', reading, async (request): Promise<UsageReport> => {
    const principal = principalOf(request)
    const { bucket, by = null, timezone, ...range } = readQuery(request, usageQuerySchema)
    const to = range.to === undefined ? now() : Date.parse(range.to)
    const from = range.from === undefined ? to - WEEK : Date.parse(range.from)
    if (from >= to) throw new AgentError('invalid_payload', 'from: must be before to.')
    if (to - from > LONGEST[bucket])
      throw new AgentError(
        'invalid_payload',
        `from: at most ${LONGEST[bucket] / DAY} days before to, for a ${bucket} each.`,
      )
    const tally = new Tally({ by, prices })
    // Owners see what is everybody's.
    const account_id = mayDo(principal, 'owner') ? null : principal.user_id
    const asked = { from, to, account_id, by, buckets: bucketsOf(bucket, timezone) }
    await readUsage(engine, asked, (used) => tally.add(used))
    const names = await namesOf(engine, by, tally.keys())
    const { currency } = config
    const shown = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), bucket, by, timezone, currency }
    return { ...shown, ...(await tally.report(names)) }
  })
}
