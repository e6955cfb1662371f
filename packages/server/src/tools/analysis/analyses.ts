import type { Principal } from '../../auth/principal.ts'
import type { SessionReader } from '../../feature.ts'
import type { JsonObject } from '../../ports.ts'
import type { Engine } from '../../store/engine.ts'
import { readCharts } from './analysis-rows.ts'

/** Why there are no charts to be had. An analysis of somebody else is as good as none. */
export type NoCharts = 'no_session' | 'no_analysis' | 'no_result' | 'bad_result'

export type AnalysisCharts = { session_id: string; echarts_list: JsonObject[] }

export type Analyses = {
  /** For whoever has the session; with `session_id`, only if the analysis is that session's. */
  charts: (
    by: Principal,
    wanted: { analyse_id: number; session_id?: string | null | undefined },
  ) => Promise<AnalysisCharts | NoCharts>
}

export function openAnalyses(engine: Engine, sessions: Pick<SessionReader, 'get'>): Analyses {
  const has = async (by: Principal, session_id: string) =>
    // No id has one, and PostgreSQL refuses to even look.
    !session_id.includes('\0') &&
    (await sessions.get(by, session_id).then(
      () => true,
      (error: { code?: string }) => {
        if (error.code !== 'session_not_found') throw error
        return false
      },
    ))
  return {
    async charts(by, { analyse_id, session_id }) {
      if (session_id != null && !(await has(by, session_id))) return 'no_session'
      const row = await engine.read(() => readCharts(analyse_id))
      if (!row || (session_id ?? row.session_id) !== row.session_id) return 'no_analysis'
      if (session_id == null && !(await has(by, row.session_id))) return 'no_analysis'
      const { found } = row
      if (found.state === 'ready') return { session_id: row.session_id, echarts_list: found.charts }
      return found.state === 'none' ? 'no_result' : 'bad_result'
    },
  }
}
