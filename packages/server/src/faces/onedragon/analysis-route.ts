import type { ErrorBody, ErrorCode } from '@parley/protocol'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import { readBody } from '../../http/ignored-fields.ts'
import { needs, principalOf } from '../../http/signed-in.ts'
import type { Analyses, NoCharts } from '../../tools/analysis/analyses.ts'

const bodySchema = z.object({
  analyse_id: z.int().min(1),
  session_id: z.string().min(1).max(200).nullish(),
})

const charts = z.array(z.looseObject({}))
const chartsSchema = z.object({
  session_id: z.string(),
  analyse_id: z.int(),
  echarts_list: charts,
  result: z.object({ echarts_list: charts }),
})

type Wanted = z.output<typeof bodySchema>

const REFUSALS: Record<NoCharts, { status: number; code: ErrorCode; detail: (wanted: Wanted) => string }> = {
  no_session: {
    status: 404,
    code: 'session_not_found',
    detail: ({ session_id }) => `Session not found: ${session_id}`,
  },
  no_analysis: {
    status: 404,
    code: 'not_found',
    detail: ({ analyse_id }) => `Analysis directory not found: ${analyse_id}`,
  },
  no_result: {
    status: 404,
    code: 'not_found',
    detail: ({ analyse_id }) => `Result file not found for analysis: ${analyse_id}`,
  },
  bad_result: { status: 500, code: 'internal_error', detail: () => 'Invalid JSON in result file' },
}

export type AnalysisRouteOptions = {
  analyses: Analyses
  /** Where the protocol's paths begin. */
  prefix: string
}

/** [O13.4] The charts of one analysis, for whoever has its session. Both forms of the request, both forms of the answer. */
export function analysisRoute(scope: FastifyInstance, { analyses, prefix }: AnalysisRouteOptions): void {
  const reading = needs('chat', {
    says: ['The charts of an analysis', '获取代码分析的图表'],
    body: bodySchema,
    answer: chartsSchema,
  })
  scope.post(`${prefix}/chat/get_analyse_by_code_result`, reading, async (request, reply) => {
    const wanted = readBody(request, bodySchema)
    const found = await analyses.charts(principalOf(request), wanted)
    if (typeof found === 'string') {
      const { status, code, detail } = REFUSALS[found]
      return refuse(reply, status, { code, detail: detail(wanted) })
    }
    const { session_id, echarts_list } = found
    return { session_id, analyse_id: wanted.analyse_id, echarts_list, result: { echarts_list } }
  })
}

function refuse(
  reply: FastifyReply,
  status: number,
  { code, detail }: Pick<ErrorBody, 'code' | 'detail'>,
): FastifyReply {
  return reply.status(status).send({ detail, message: detail, code })
}
